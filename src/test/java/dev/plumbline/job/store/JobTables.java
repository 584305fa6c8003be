package dev.plumbline.job.store;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.cluster.TestNodes;
import dev.plumbline.postgres.Database;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Access to the job tables without a coordinator. */
public final class JobTables {
    public static final Duration KEEP = Duration.ofDays(1);
    public static final List<String> MODULES = List.of("scripted");

    private static final JobStore.Quotas NONE = new JobStore.Quotas(0, 0);

    private final Database database;
    private final JobStore jobs;

    public JobTables(Database database) {
        this.database = database;
        this.jobs = new JobStore(database, KEEP, NONE);
    }

    /** A store whose statements all use one pool. */
    public static WorkStore work(Database database) {
        return new WorkStore(database, database, KEEP);
    }

    public TestNodes nodes() {
        return new TestNodes(database);
    }

    public long account() {
        return new TestAccounts(database).account(Plan.PRO);
    }

    /** Creates a job with distinct lines; returns its ID. */
    public long job(long account, int lines) {
        return job(account, lines, null);
    }

    /** @param firstIndexes as in {@link JobStore#create} */
    long job(long account, int lines, Integer @Nullable [] firstIndexes) {
        List<String> items =
                IntStream.range(0, lines).mapToObj(i -> "line-" + i + ".test").toList();
        JobMessage.CreateJob order = new JobMessage.CreateJob(
                token(), account, 0, "test", "scripted", items, Map.of(), false, null, 1, null);
        JobMessage.CreateReply reply = await(jobs.create(order, firstIndexes));
        return ((JobMessage.JobCreated) reply).job().id();
    }

    static String token() {
        return "job_" + UUID.randomUUID().toString().replace("-", "").substring(0, 22);
    }

    Row row(String sql, Object... arguments) {
        return await(database.query(sql, Tuple.from(arguments))).iterator().next();
    }

    long number(String sql, Object... arguments) {
        return row(sql, arguments).getLong(0);
    }

    public String text(String sql, Object... arguments) {
        return row(sql, arguments).getString(0);
    }

    public List<String> texts(String sql, Object... arguments) {
        List<String> texts = new ArrayList<>();
        await(database.query(sql, Tuple.from(arguments))).forEach(row -> texts.add(row.getString(0)));
        return texts;
    }

    public void sql(String sql, Object... arguments) {
        await(database.query(sql, Tuple.from(arguments)));
    }

    public Row job(long id) {
        return row("select * from job where id = $1", id);
    }

    Row chunk(WorkStore.ChunkId id) {
        return row("select * from job_chunk where job_id = $1 and number = $2", id.job(), id.number());
    }

    /** Includes suspects. */
    public static WorkStore.ClaimFilter wanted(
            List<String> modules, Collection<Long> excludedAccounts, boolean newAccountsOnly) {
        return new WorkStore.ClaimFilter(modules, excludedAccounts, newAccountsOnly, List.of());
    }

    /** Results for all lines of a claim. */
    static List<WorkStore.LineResult> lines(WorkStore.ClaimedChunk claimed, String verdict, String body) {
        List<WorkStore.LineResult> lines = new ArrayList<>();
        claimed.checks().forEach(index -> lines.add(line(claimed.id(), index, verdict, body)));
        return lines;
    }

    static WorkStore.LineResult line(WorkStore.ChunkId chunk, int index, String verdict, String body) {
        return new WorkStore.LineResult(chunk, index, verdict, Buffer.buffer(body), null);
    }

    /** Asserts the consistency of all counts. */
    public void assertCountsAreConsistent() {
        assertThat(
                        ids(
                                """
                select j.id from job j left join lateral (
                  select count(*) as all,
                    count(*) filter (where r.verdict = 'pass') as pass,
                    count(*) filter (where r.verdict = 'warn') as warn,
                    count(*) filter (where r.verdict = 'fail') as fail,
                    count(*) filter (where r.verdict = 'error') as error,
                    count(*) filter (where r.index not between 0 and j.total - 1) as strange,
                    coalesce(max(r.version), 0) as latest
                  from job_result r where r.job_id = j.id) r on true
                where j.purged_at is null and (
                  (r.pass, r.warn, r.fail, r.error) <> (j.pass, j.warn, j.fail, j.error)
                  or r.strange > 0 or r.latest > j.version)"""))
                .as("jobs whose counts differ from their results")
                .isEmpty();
        assertThat(
                        ids(
                                """
                select j.id from job j
                where j.purged_at is null and j.running <> (
                  select coalesce(sum(pending_lines(c)), 0) from job_chunk c
                  where c.job_id = j.id and c.state = 'claimed')"""))
                .as("jobs whose running lines differ from their claimed chunks")
                .isEmpty();
        assertThat(
                        ids(
                                """
                select j.id from job j
                where j.purged_at is null and j.state in ('queued', 'running', 'completed')
                  and j.pending_chunks <> (
                    select count(*) from job_chunk c
                    where c.job_id = j.id and c.state in ('waiting', 'claimed'))"""))
                .as("jobs whose number of chunks is wrong")
                .isEmpty();
        assertThat(
                        ids(
                                """
                select j.id from job j join job_chunk c on c.job_id = j.id
                where j.state in ('completed', 'cancelled', 'failed')
                  and c.state in ('waiting', 'claimed')"""))
                .as("final jobs with chunks that are not final")
                .isEmpty();
    }

    public List<Long> ids(String sql, Object... arguments) {
        List<Long> ids = new ArrayList<>();
        await(database.query(sql, Tuple.from(arguments))).forEach(row -> ids.add(row.getLong(0)));
        return ids;
    }
}
