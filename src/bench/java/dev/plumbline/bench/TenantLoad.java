package dev.plumbline.bench;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.postgres.Database;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Accounts and keys of a service, inserted into its database. */
final class TenantLoad implements AutoCloseable {
    private static final int CONNECTIONS = 1;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Vertx vertx = Vertx.vertx();
    private final TestAccounts accounts;

    TenantLoad(String databaseUrl) {
        this.accounts = new TestAccounts(new Database(vertx, databaseUrl, CONNECTIONS, TIMEOUT));
    }

    /** A key of a new account with permission to create and read jobs. */
    String newKey() {
        return accounts.key().secret();
    }

    /** Keys, each of its own account. */
    List<String> newKeys(int count) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(newKey());
        }
        return keys;
    }

    /** Lines of all jobs that no node has claimed. */
    long waitingLines() {
        return accounts.row("select coalesce(sum(cardinality(checks)), 0)::bigint from job_chunk"
                        + " where state = 'waiting'")
                .getLong(0);
    }

    /** Lines of all jobs that a node has claimed. */
    long claimedLines() {
        return accounts.row("select coalesce(sum(cardinality(checks)), 0)::bigint from job_chunk"
                        + " where state <> 'waiting'")
                .getLong(0);
    }

    @Override
    public void close() {
        vertx.close();
    }
}
