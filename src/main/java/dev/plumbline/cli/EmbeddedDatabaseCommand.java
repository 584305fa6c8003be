package dev.plumbline.cli;

import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.postgres.PostgresException;
import dev.plumbline.target.ExceptionMessage;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** A command for the embedded database only. Prints one line to stdout, or an error to stderr. */
abstract class EmbeddedDatabaseCommand implements Callable<Integer> {
    private static final int FAILED = 1;

    @Mixin
    private ConfigOption config = new ConfigOption();

    private final String instruction;

    /** @param instruction a sentence for an external database */
    EmbeddedDatabaseCommand(String instruction) {
        this.instruction = instruction;
    }

    /**
     * Runs the command.
     *
     * @return the line to print
     * @throws PostgresException if it fails
     */
    abstract String run(Config settings);

    @Override
    public final Integer call() {
        try {
            Config settings = config.load();
            if (settings.database().url() != null) {
                return fail("database.url is set. " + instruction);
            }
            System.out.println(run(settings));
            System.out.flush();
            return 0;
        } catch (ConfigException invalid) {
            return fail("Invalid configuration: " + invalid.getMessage());
        } catch (PostgresException failed) {
            return fail(ExceptionMessage.of(failed));
        }
    }

    private static int fail(String message) {
        StandardError.fail(message);
        return FAILED;
    }
}
