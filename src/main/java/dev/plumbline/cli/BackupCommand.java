package dev.plumbline.cli;

import dev.plumbline.app.Version;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.store.BaseBackup;
import dev.plumbline.store.StoreException;
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
        footer = {"  0  success", "  1  error, see stderr", "  2  invalid usage"})
public final class BackupCommand implements Callable<Integer> {
    private static final int FAILED = 1;

    @Mixin
    private ConfigOption config = new ConfigOption();

    @Parameters(index = "0", paramLabel = "DIR", description = "Directory for the backup, new or empty.")
    private Path directory = Path.of("");

    @Override
    public Integer call() {
        try {
            Config loaded = config.load();
            if (loaded.database().url() != null) {
                return fail("database.url is set. Back up an external database with pg_dump.");
            }
            BaseBackup.Summary summary = BaseBackup.create(loaded.data().dir(), directory, Version.text());
            System.out.printf(
                    "Backup created in %s: %,d files, %,d bytes.%n", directory, summary.files(), summary.bytes());
            System.out.flush();
            return 0;
        } catch (ConfigException invalid) {
            return fail("invalid configuration: " + invalid.getMessage());
        } catch (StoreException failed) {
            return fail(String.valueOf(failed.getMessage()));
        }
    }

    static int fail(String message) {
        System.err.println("plumbline: " + message);
        return FAILED;
    }
}
