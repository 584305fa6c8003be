package dev.plumbline.cli;

import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.store.CommandDatabase;
import dev.plumbline.store.Database;
import dev.plumbline.store.SchemaMigrator;
import dev.plumbline.store.StoreException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What {@code account} and {@code key} commands do their work at: the accounts of the configured
 * database, whether a service runs or not.
 */
final class AccountCommandSession {
    static final int REFUSED = 1;

    private static final Duration STATEMENT = Duration.ofSeconds(10);
    private static final long STEP_SECONDS = 60;

    private final AccountAdministration accounts;

    private AccountCommandSession(AccountAdministration accounts) {
        this.accounts = accounts;
    }

    /** What a command does. */
    interface Work {
        void at(AccountCommandSession desk) throws Refusal;
    }

    /** Why a command cannot do what it was told to, as one sentence. */
    static final class Refusal extends Exception {
        private static final long serialVersionUID = 1;

        Refusal(String why) {
            super(why);
        }
    }

    /**
     * Runs a command and says on stderr why it failed, if it did.
     *
     * @param mayMake whether an embedded database may be made where there is none yet
     * @return the exit code
     */
    static int run(ConfigOption option, boolean mayMake, Work work) {
        try {
            Config config = option.load();
            String url = config.database().url();
            if (url != null) {
                run(url, work);
            } else {
                try (CommandDatabase lent = CommandDatabase.of(config.data().dir(), mayMake)) {
                    run(lent.url(), work);
                }
            }
            return 0;
        } catch (ConfigException wrong) {
            return refuse("the settings are wrong: " + wrong.getMessage());
        } catch (StoreException | Refusal refusal) {
            return refuse(String.valueOf(refusal.getMessage()));
        }
    }

    private static int refuse(String why) {
        System.err.println("plumbline: " + why);
        return REFUSED;
    }

    private static void run(String url, Work work) throws Refusal {
        Vertx vertx = Vertx.vertx();
        @Nullable Database database = null;
        try {
            await(SchemaMigrator.run(vertx, url));
            database = new Database(vertx, url, 1, STATEMENT);
            work.at(new AccountCommandSession(new AccountAdministration(database, new PasswordHasher(vertx))));
        } finally {
            if (database != null) {
                await(database.close());
            }
            // not from the pool's own thread, which goes with it
            await(vertx.close());
        }
    }

    AccountAdministration accounts() {
        return accounts;
    }

    /** Waits for an answer of the database. */
    static <T> T await(Future<T> answer) throws Refusal {
        try {
            return answer.toCompletionStage().toCompletableFuture().get(STEP_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            throw new Refusal(String.valueOf(cause.getMessage()));
        } catch (TimeoutException late) {
            throw new Refusal("the database does not answer");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new Refusal("interrupted");
        }
    }
}
