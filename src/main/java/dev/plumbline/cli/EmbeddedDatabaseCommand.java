package dev.plumbline.cli;

import dev.plumbline.cli.DatabaseCommandRunner.Refusal;
import dev.plumbline.config.Config;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** A command for the embedded database only. Prints one line to stdout, or an error to stderr. */
abstract class EmbeddedDatabaseCommand implements Callable<Integer> {
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
     * @throws dev.plumbline.postgres.PostgresException if it fails
     */
    abstract String run(Config settings);

    @Override
    public final Integer call() {
        return DatabaseCommandRunner.run(config, settings -> {
            if (settings.database().url() != null) {
                throw new Refusal("database.url is set. " + instruction);
            }
            System.out.println(run(settings));
        });
    }
}
