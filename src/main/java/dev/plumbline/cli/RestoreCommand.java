package dev.plumbline.cli;

import dev.plumbline.postgres.backup.BackupRestore;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
public final class RestoreCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "DIR", description = "Directory of the backup.")
    private Path directory = Path.of("");

    @Mixin
    private ConfigOption config = new ConfigOption();

    @Override
    public Integer call() {
        return DatabaseCommandRunner.runEmbedded(config, "Restore an external database with pg_restore.", settings -> {
            int files = BackupRestore.restore(directory, settings.data().dir());
            return String.format("Restored to %s: %,d files.", settings.data().dir(), files);
        });
    }
}
