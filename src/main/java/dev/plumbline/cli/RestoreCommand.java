package dev.plumbline.cli;

import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.store.BackupRestore;
import dev.plumbline.store.StoreException;
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
        footer = {"  0  success", "  1  error, see stderr", "  2  invalid usage"})
public final class RestoreCommand implements Callable<Integer> {
    @Mixin
    private ConfigOption config = new ConfigOption();

    @Parameters(index = "0", paramLabel = "DIR", description = "Directory of the backup.")
    private Path directory = Path.of("");

    @Override
    public Integer call() {
        try {
            Config loaded = config.load();
            if (loaded.database().url() != null) {
                return BackupCommand.fail("database.url is set. Restore an external database with pg_restore.");
            }
            int files = BackupRestore.restore(directory, loaded.data().dir());
            System.out.printf("Restored to %s: %,d files.%n", loaded.data().dir(), files);
            System.out.flush();
            return 0;
        } catch (ConfigException invalid) {
            return BackupCommand.fail("invalid configuration: " + invalid.getMessage());
        } catch (StoreException failed) {
            return BackupCommand.fail(String.valueOf(failed.getMessage()));
        }
    }
}
