package dev.plumbline.cli;

import dev.plumbline.config.Config;
import dev.plumbline.postgres.backup.BackupRestore;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code plumbline restore}: restores a hot backup into an empty data directory. */
@Command(
        name = "restore",
        description = {
            "Restores a backup into data.dir, which must be empty.",
            "Verifies the checksum of each file and starts the database once to replay its log."
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExit codes:%n",
        footer = {"  0  success", "  1  error, see stderr", "  4  invalid usage"})
public final class RestoreCommand extends EmbeddedDatabaseCommand {
    @Parameters(index = "0", paramLabel = "DIR", description = "Directory of the backup.")
    private Path directory = Path.of("");

    public RestoreCommand() {
        super("Restore an external database with pg_restore.");
    }

    @Override
    String run(Config settings) {
        int files = BackupRestore.restore(directory, settings.data().dir());
        return String.format("Restored to %s: %,d files.", settings.data().dir(), files);
    }
}
