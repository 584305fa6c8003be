package dev.plumbline.cli;

import dev.plumbline.app.Version;
import dev.plumbline.config.Config;
import dev.plumbline.postgres.backup.BaseBackup;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code plumbline backup}: a hot backup of the embedded database. */
@Command(
        name = "backup",
        description = {
            "Backs up the embedded database and the secrets in data.dir.",
            "The service can continue to run. Restore the backup with 'plumbline restore DIR'."
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExit codes:%n",
        footer = {"  0  success", "  1  error, see stderr", "  4  invalid usage"})
public final class BackupCommand extends EmbeddedDatabaseCommand {
    @Parameters(index = "0", paramLabel = "DIR", description = "Directory for the backup, new or empty.")
    private Path directory = Path.of("");

    public BackupCommand() {
        super("Back up an external database with pg_dump.");
    }

    @Override
    String run(Config settings) {
        BaseBackup.Summary summary = BaseBackup.create(settings.data().dir(), directory, Version.text());
        return String.format(
                "Backup created in %s: %,d files, %,d bytes.", directory, summary.files(), summary.bytes());
    }
}
