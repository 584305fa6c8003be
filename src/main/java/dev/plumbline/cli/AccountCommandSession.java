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
import org.jspecify.annotations.Nullable;

/** Runs an {@code account} or {@code key} command against the configured or the embedded database. */
final class AccountCommandSession {
    static final int FAILED = 1;

    private static final Duration STATEMENT = Duration.ofSeconds(10);
    private static final long STEP_SECONDS = 60;

    private final AccountAdministration accounts;

    private AccountCommandSession(AccountAdministration accounts) {
        this.accounts = accounts;
    }

    interface Work {
        void run(AccountCommandSession session) throws Refusal;
    }

    /** A command cannot be executed. The message is one sentence. */
    static final class Refusal extends Exception {
        private static final long serialVersionUID = 1;

        Refusal(String message) {
            super(message);
        }
    }

    /**
     * Runs a command and prints an error to stderr.
     *
     * @param create whether an embedded database is created if there is none
     * @return the exit code
     */
    static int run(ConfigOption option, boolean create, Work work) {
        try {
            Config config = option.load();
            String url = config.database().url();
            if (url != null) {
                run(url, work);
            } else {
                try (CommandDatabase database = CommandDatabase.of(config.data().dir(), create)) {
                    run(database.url(), work);
                }
            }
            return 0;
        } catch (ConfigException invalid) {
            return fail("Invalid configuration: " + invalid.getMessage());
        } catch (PostgresException | Refusal refusal) {
            return fail(ExceptionMessage.of(refusal));
        }
    }

    private static int fail(String message) {
        StandardError.fail(message);
        return FAILED;
    }

    private static void run(String url, Work work) throws Refusal {
        Vertx vertx = Vertx.vertx();
        @Nullable Database database = null;
        try {
            await(SchemaMigrator.run(vertx, url));
            database = new Database(vertx, url, 1, STATEMENT);
            work.run(new AccountCommandSession(new AccountAdministration(database, new PasswordHasher(vertx))));
        } finally {
            if (database != null) {
                await(database.close());
            }
            // closed here, because the thread of the pool ends with it
            await(vertx.close());
        }
    }

    AccountAdministration accounts() {
        return accounts;
    }

    static <T> T await(Future<T> operation) throws Refusal {
        try {
            return operation.toCompletionStage().toCompletableFuture().get(STEP_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            throw new Refusal(ExceptionMessage.of(cause));
        } catch (TimeoutException late) {
            throw new Refusal("the database does not respond");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new Refusal("interrupted");
        }
    }
}
