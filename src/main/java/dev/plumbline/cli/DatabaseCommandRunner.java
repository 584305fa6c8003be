package dev.plumbline.cli;

import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.PostgresException;
import dev.plumbline.postgres.SchemaMigrator;
import dev.plumbline.postgres.backup.CommandDatabase;
import dev.plumbline.target.ExceptionMessage;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs commands that use the configured or the embedded database. */
final class DatabaseCommandRunner {
    private static final int FAILED = 1;
    private static final Duration STATEMENT = Duration.ofSeconds(10);
    private static final long STEP_SECONDS = 60;

    private DatabaseCommandRunner() {}

    interface Work<T> {
        void run(T argument) throws CommandException;
    }

    /**
     * Runs a command with the settings and prints an error to stderr.
     *
     * @return the exit code
     */
    static int run(ConfigOption option, Work<Config> work) {
        try {
            work.run(option.load());
            return 0;
        } catch (ConfigException invalid) {
            return StandardError.fail(FAILED, "Invalid configuration: " + invalid.getMessage());
        } catch (PostgresException | CommandException refusal) {
            return StandardError.fail(FAILED, ExceptionMessage.of(refusal));
        }
    }

    /**
     * Runs a command for the embedded database only and prints a line to stdout, as {@link #run(ConfigOption, Work)}.
     *
     * @param instruction what the error message recommends if {@code database.url} is set
     * @param work returns the line
     */
    static int runEmbedded(ConfigOption option, String instruction, Function<Config, String> work) {
        return run(option, config -> {
            if (config.database().url() != null) {
                throw new CommandException("database.url is set. " + instruction);
            }
            System.out.println(work.apply(config));
        });
    }

    /**
     * Runs an {@code account} or {@code key} command, as {@link #run(ConfigOption, Work)}.
     *
     * @param create whether an embedded database is created if there is none
     */
    static int run(ConfigOption option, boolean create, Work<AccountAdministration> work) {
        return runWithDatabase(
                option,
                create,
                (vertx, database) -> work.run(new AccountAdministration(database, new PasswordHasher(vertx))));
    }

    interface DatabaseWork {
        void run(Vertx vertx, Database database) throws CommandException;
    }

    /** As {@link #run(ConfigOption, boolean, Work)}, for any command that uses the migrated database. */
    static int runWithDatabase(ConfigOption option, boolean create, DatabaseWork work) {
        return run(option, config -> {
            String url = config.database().url();
            if (url != null) {
                run(url, work);
            } else {
                try (CommandDatabase database = CommandDatabase.of(config.data().dir(), create)) {
                    run(database.url(), work);
                }
            }
        });
    }

    private static void run(String url, DatabaseWork work) throws CommandException {
        Vertx vertx = Vertx.vertx();
        @Nullable Database database = null;
        try {
            await(SchemaMigrator.run(vertx, url));
            database = new Database(vertx, url, 1, STATEMENT);
            work.run(vertx, database);
        } finally {
            if (database != null) {
                await(database.close());
            }
            // closed here, because the thread of the pool ends with it
            await(vertx.close());
        }
    }

    static <T> T await(Future<T> operation) throws CommandException {
        try {
            return operation.toCompletionStage().toCompletableFuture().get(STEP_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            throw new CommandException(ExceptionMessage.of(cause));
        } catch (TimeoutException late) {
            throw new CommandException("The database did not respond within " + STEP_SECONDS + " seconds.");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new CommandException("The command was interrupted.");
        }
    }
}
