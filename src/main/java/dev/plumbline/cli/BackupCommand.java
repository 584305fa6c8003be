package dev.plumbline.cli;

import dev.plumbline.app.Version;
import dev.plumbline.postgres.backup.BaseBackup;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
public final class BackupCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "DIR", description = "Directory for the backup, new or empty.")
    private Path directory = Path.of("");

    @Mixin
    private ConfigOption config = new ConfigOption();

    @Override
    public Integer call() {
        return DatabaseCommandRunner.runEmbedded(config, "Back up an external database with pg_dump.", settings -> {
            BaseBackup.Summary summary = BaseBackup.create(settings.data().dir(), directory, Version.text());
            return String.format(
                    "Backup created in %s: %,d files, %,d bytes.", directory, summary.files(), summary.bytes());
        });
    }
}
