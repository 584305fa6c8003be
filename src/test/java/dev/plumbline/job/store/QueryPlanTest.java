package dev.plumbline.job.store;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.postgres.Database;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Claims and writes find their rows by index, also with plans that were cached while the tables were almost empty and
 * without statistics.
 */
@Tag("integration")
class QueryPlanTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final int JOBS = 5_000;
    private static final String CLAIM_AND_WRITE = "select claim_and_write($1, $2)";
    private static final String ROWS_READ =
            "select relname::text, seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables";

    /** More than the custom plans after which PostgreSQL caches a generic one. */
    private static final int WARM_UP = 10;

    @Test
    void claimsAndWritesDoNotScanTables() {
        // one connection, because plans are cached per connection
        Database database = new Database(DATABASE.vertx(), DATABASE.url(), 1, Duration.ofSeconds(20));
        JobTables tables = new JobTables(DATABASE.open());
        for (String table : List.of("job", "job_chunk", "job_input", "result_cache", "node")) {
            tables.sql("alter table " + table + " set (autovacuum_enabled = off)");
        }
        tables.sql(
                """
          create function claim_and_write(p_owner bigint, p_chunks int) returns bigint language plpgsql as $$
          declare
            jobs bigint[];
            numbers int[];
            attempts int[];
            chunks int;
          begin
            select array_agg(c.job_id), array_agg(c.number), array_agg(c.attempt), count(*)
              into jobs, numbers, attempts, chunks
              from claim_job_chunks(p_owner, p_chunks, '{scripted}', '{}', false, '{}') c;
            perform write_results(p_owner, interval '1 day', jobs, numbers, attempts,
              array_fill(true, array[chunks]), jobs, numbers, array_fill(0, array[chunks]),
              array_fill('pass'::text, array[chunks]), array_fill('{}'::bytea, array[chunks]),
              array_fill(null::text, array[chunks]), array_fill(null::timestamptz, array[chunks]),
              array_fill(null::timestamptz, array[chunks]));
            return chunks;
          end $$""");
        long account = tables.account();
        long owner = await(tables.nodes().register(Duration.ofMinutes(10)));
        for (int i = 0; i < WARM_UP; i++) {
            tables.job(account, 1);
            assertThat(number(database.query(CLAIM_AND_WRITE, Tuple.of(owner, 1))))
                    .isEqualTo(1);
        }
        tables.sql(
                """
          insert into job (token, account_id, name, module, options, fresh, total, pending_chunks)
            select 'job_plan' || i, $1, 'test', 'scripted', '{}', false, 1, 1 from generate_series(1, 5000) i""",
                account);
        tables.sql(
                """
          insert into job_chunk (job_id, number, account_id, module, start_tag, checks, duplicates, duplicate_of)
            select id, 0, account_id, module, id * 7919 % 5000, '{0}', '{}', '{}'
            from job where token like 'job_plan%'""");
        tables.sql(
                """
          insert into job_input (job_id, page, inputs)
            select id, 0, array['a.test'::bytea] from job where token like 'job_plan%'""");

        assertReadsFewRows(database, owner);
        // without statistics, a plan for an unknown number of chunks would sort all waiting ones
        Database withoutPlans = new Database(DATABASE.vertx(), DATABASE.url(), 1, Duration.ofSeconds(20));
        assertReadsFewRows(withoutPlans, owner);
        await(withoutPlans.close());
        tables.sql("analyze");
        for (int i = 0; i < WARM_UP; i++) {
            assertReadsFewRows(database, owner);
        }
        await(database.close());
    }

    private static void assertReadsFewRows(Database database, long owner) {
        Map<String, Long> rows = await(database.inTransaction(
                transaction -> transaction.query(ROWS_READ).execute().compose(before -> transaction
                        .preparedQuery(CLAIM_AND_WRITE)
                        .execute(Tuple.of(owner, 16))
                        .onSuccess(chunks ->
                                assertThat(chunks.iterator().next().getLong(0)).isEqualTo(16))
                        .compose(chunks -> transaction.query(ROWS_READ).execute())
                        .map(after -> {
                            Map<String, Long> read = new TreeMap<>();
                            after.forEach(row -> read.put(row.getString(0), row.getLong(1)));
                            before.forEach(row -> read.merge(row.getString(0), -row.getLong(1), Long::sum));
                            return read;
                        }))));

        assertThat(rows).allSatisfy((table, read) -> assertThat(read).isLessThan(JOBS / 5));
    }

    private static long number(Future<RowSet<Row>> rows) {
        return await(rows).iterator().next().getLong(0);
    }
}
