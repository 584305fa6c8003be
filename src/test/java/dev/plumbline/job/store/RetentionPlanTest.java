package dev.plumbline.job.store;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.SessionStore;
import dev.plumbline.postgres.Database;
import dev.plumbline.quota.QuotaStore;
import dev.plumbline.result.store.ResultStore;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The periodic deletions do not read rows that have not expired. There can be millions of them. */
@Tag("integration")
class RetentionPlanTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final long ROWS = 5_000;
    private static final Duration KEEP = Duration.ofDays(30);
    private static final String ROWS_READ =
            """
      select relname::text, seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_user_tables
      where relname in ('job', 'result_cache', 'quota_window', 'job_request', 'session')""";

    @Test
    void deletionsReadExpiredRowsOnly() {
        // one connection, which reports its statistics on request
        Database database = new Database(DATABASE.vertx(), DATABASE.url(), 1, Duration.ofSeconds(20));
        JobTables tables = new JobTables(database);
        long account = tables.account();
        for (String table : List.of("job", "result_cache", "quota_window", "job_request", "session", "account")) {
            tables.sql("alter table " + table + " set (autovacuum_enabled = off)");
        }
        tables.sql(
                """
          insert into job (token, account_id, name, module, options, fresh, total, pending_chunks, state, pass,
              finished_at, expires_at, purged_at)
            select 'job_' || i, $1, 'test', 'scripted', '{}', false, 1, 0, 'completed', 1,
              clock_timestamp(), clock_timestamp() + interval '1 day',
              case when i % 2 = 0 then clock_timestamp() end
            from generate_series(1, 5000) i""",
                account);
        tables.sql(
                """
          insert into result_cache (key, body, checked_at, expires_at)
            select i::text, '{}', clock_timestamp(), clock_timestamp() + interval '1 hour'
            from generate_series(1, 5000) i""");
        tables.sql(
                """
          insert into quota_window (policy, key, charges, expires_at)
            select 'fresh', i::text, '{}', clock_timestamp() + interval '1 hour' from generate_series(1, 5000) i""");
        tables.sql(
                """
          with k as (
            insert into api_key (account_id, hash, prefix, name, scopes) values ($1, 'x', 'plk_', 'test', '{}')
            returning id)
          insert into job_request (key_id, idempotency_key, body_hash, job_id)
            select k.id, i::text, '', i from k, generate_series(1, 5000) i""",
                account);
        tables.sql(
                """
          insert into session (account_id, token_hash, expires_at, client, address)
            select $1, int8send(i), clock_timestamp() + interval '1 hour', '', '' from generate_series(1, 5000) i""",
                account);
        tables.sql("analyze job, result_cache, quota_window, job_request, session");
        JobStore jobs = new JobStore(database, KEEP, new JobStore.Quotas(0, 0));

        assertReadFewRows(
                database,
                List.of(
                        ResultStore::purgeExpired,
                        QuotaStore::purgeExpired,
                        jobs::purgeExpired,
                        JobStore::purgeIdempotencyKeys,
                        JobStore::cancelJobsOfDeletedAccounts,
                        SessionStore::purgeExpired));
        await(database.close());
    }

    private static void assertReadFewRows(
            Database database, List<BiFunction<Database, Integer, Future<Integer>>> deletions) {
        Map<String, Long> before = rowsRead(database);
        for (var deletion : deletions) {
            assertThat(await(deletion.apply(database, 1_000))).isZero();
        }

        assertThat(rowsRead(database)).hasSize(5).allSatisfy((table, rows) -> assertThat(rows - before.get(table))
                .as(table)
                .isLessThan(ROWS / 5));
    }

    /** The number of rows that sequential and index scans of each table have read. */
    private static Map<String, Long> rowsRead(Database database) {
        await(database.query("select pg_stat_force_next_flush()"));
        Map<String, Long> rows = new TreeMap<>();
        await(database.query(ROWS_READ)).forEach(row -> rows.put(row.getString(0), row.getLong(1)));
        return rows;
    }
}
