package dev.plumbline.job.store;

import dev.plumbline.bus.JobMessage.CancelJob;
import dev.plumbline.bus.JobMessage.CreateJob;
import dev.plumbline.bus.JobMessage.CreateReply;
import dev.plumbline.bus.JobMessage.FinishedLine;
import dev.plumbline.bus.JobMessage.FinishedLines;
import dev.plumbline.bus.JobMessage.Idempotency;
import dev.plumbline.bus.JobMessage.IdempotencyMismatch;
import dev.plumbline.bus.JobMessage.IdempotencyPending;
import dev.plumbline.bus.JobMessage.JobCreated;
import dev.plumbline.bus.JobMessage.JobQuotaExceeded;
import dev.plumbline.bus.JobMessage.ListFinishedLines;
import dev.plumbline.bus.JobMessage.NoEarlierRequest;
import dev.plumbline.bus.JobMessage.QuotaStatus;
import dev.plumbline.bus.JobMessage.ReadResults;
import dev.plumbline.bus.JobMessage.ReplayJob;
import dev.plumbline.bus.JobMessage.ResultLine;
import dev.plumbline.bus.JobMessage.ResultLines;
import dev.plumbline.concurrent.CurrentSpan;
import dev.plumbline.postgres.Database;
import dev.plumbline.trace.TraceParent;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Jobs in PostgreSQL: creation, cancellation, results and retention. */
public final class JobStore {
    private static final long WINDOW_MICROS = Duration.ofHours(1).toNanos() / 1_000;
    private static final double MICROS_PER_SECOND = 1_000_000.0;
    private static final int MAX_PAGE_BYTES = 128 * 1024;
    private static final int ROWS_PER_JOB = 10;

    /** Inputs per row of job_input. */
    private static final int LINES_PER_PAGE = 50;

    private static final int SECONDS_PER_DAY = 86_400;
    private static final int PARTITIONS = 30;

    /** Results that a job blocks for longer are deleted by row. */
    private static final int MAX_PARTITION_DELAY_DAYS = 2;

    /**
     * The channel that is notified when chunks wait for a claim: of a new job, or released by a node. Not for other
     * changes of a job, because NOTIFY takes a lock of the whole database at the commit.
     */
    public static final String CHUNKS_WAITING = "chunks_waiting";

    private static final String CREATE =
            """
      select outcome, job_id, token, name, module, options, evaluation, fresh, total, created_at, policies, remaining,
        reset_micros, exceeded, retry_micros
      from create_job($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)""";

    private static final String REPLAY =
            """
      select r.body_hash, j.id as job_id, j.token, j.name, j.module, j.options, j.evaluation, j.fresh, j.total,
        j.created_at
      from job_request r join job j on j.id = r.job_id
      where r.key_id = $1 and r.idempotency_key = $2 and r.created_at > clock_timestamp() - interval '24 hours'""";

    private static final String CANCEL = "select cancel_job($1, $2, make_interval(secs => $3))";

    // Sizes are summed first, so that only the returned bodies are decompressed. Lateral joins per line, because a
    // hash join reads the results of all jobs if the statistics are stale.
    private static final String RESULTS =
            """
      with line as (
        select w.ord, l.index, l.input, r.duplicate_of, r.bytes
        from unnest($3::int[]) with ordinality as w(index, ord)
          join (
            select (p.page * 50 + i.ord - 1)::int as index, i.input
            from job_input p cross join unnest(p.inputs) with ordinality as i(input, ord)
            where p.job_id = $1 and p.page = any($4::int[])) l on l.index = w.index
          left join lateral (
            select r.duplicate_of, coalesce(octet_length(r.body), (
              select octet_length(o.body) from job_result o
              where o.job_id = r.job_id and o.index = r.duplicate_of)) as bytes
            from job_result r
            where r.job_id = $1 and r.index = w.index and r.version <= $2
            offset 0) r on true),
      counted as (
        select l.ord, l.index, l.input, l.duplicate_of, l.bytes,
          sum(coalesce(l.bytes, 0)) over (order by l.ord) - coalesce(l.bytes, 0) as before
        from line l)
      select c.index, c.input, case when c.bytes is not null then (
          select r.body from job_result r
          where r.job_id = $1 and r.index = coalesce(c.duplicate_of, c.index)) end as body
      from counted c
      where c.before < $5
      order by c.ord""";

    private static final String FINISHED_LINES =
            """
      select r.index, r.version from job_result r
      where r.job_id = $1 and r.version between $2 and $3
        and ($4::text[] = '{}' or r.verdict = any($4::text[]))
      order by r.version, r.index""";

    private final Database database;
    private final double retentionSeconds;
    private final Quotas quotas;

    /**
     * Maximum number of jobs created in 60 minutes; 0 for no limit.
     *
     * @param perKey per API key
     * @param perAccount per account
     */
    public record Quotas(int perKey, int perAccount) {}

    /** @param retention how long results are kept after the end of a job */
    public JobStore(Database database, Duration retention, Quotas quotas) {
        this.database = database;
        this.retentionSeconds = retention.toMillis() / 1_000.0;
        this.quotas = quotas;
    }

    /**
     * Charges the quotas and creates the job, or changes nothing. The current span is stored with the job.
     *
     * @param firstIndexes per line the index of the first line with the same target; null if all targets differ
     * @return fails with {@code DatabaseUnavailableException}; the job may exist then
     */
    public Future<CreateReply> create(CreateJob request, Integer @Nullable [] firstIndexes) {
        Idempotency idempotency = request.idempotency();
        TraceParent creation = CurrentSpan.get().context();
        Tuple arguments = Tuple.tuple()
                .addString(request.token())
                .addLong(request.accountId())
                .addLong(request.keyId())
                .addString(request.name())
                .addString(request.module())
                .addValue(new JsonObject(request.options()))
                .addBoolean(request.fresh())
                .addArrayOfBuffer(request.items().stream().map(Buffer::buffer).toArray(Buffer[]::new))
                .addArrayOfInteger(firstIndexes)
                .addString(idempotency == null ? null : idempotency.key())
                .addString(idempotency == null ? null : idempotency.bodyHash())
                .addInteger(quotas.perKey)
                .addInteger(quotas.perAccount)
                .addLong(WINDOW_MICROS)
                .addInteger(request.charge())
                .addValue(
                        request.defaultPolicy() == null
                                ? null
                                : request.defaultPolicy().toJson())
                .addString(creation == null ? null : creation.text());
        return database.query(CREATE, arguments)
                .map(rows -> toReply(rows.iterator().next()));
    }

    /** The job that an earlier request created. {@link #create} has the same result. */
    public Future<CreateReply> replay(ReplayJob request) {
        Idempotency idempotency = request.idempotency();
        return database.query(REPLAY, Tuple.of(request.keyId(), idempotency.key()))
                .map(rows -> {
                    if (!rows.iterator().hasNext()) {
                        return new NoEarlierRequest();
                    }
                    Row row = rows.iterator().next();
                    return row.getString("body_hash").equals(idempotency.bodyHash())
                            ? new JobCreated(JobStateStore.created(row), true, List.of())
                            : new IdempotencyMismatch();
                });
    }

    private CreateReply toReply(Row row) {
        return switch (row.getString("outcome")) {
            case "created" -> new JobCreated(JobStateStore.created(row), false, quotaStatus(row));
            case "replayed" -> new JobCreated(JobStateStore.created(row), true, List.of());
            case "mismatch" -> new IdempotencyMismatch();
            case "pending" -> new IdempotencyPending();
            default -> toQuotaExceeded(row);
        };
    }

    private JobQuotaExceeded toQuotaExceeded(Row row) {
        List<QuotaStatus> status = quotaStatus(row);
        String exceeded = row.getString("exceeded");
        QuotaStatus policy = status.stream()
                .filter(quota -> quota.policy().equals(exceeded))
                .findFirst()
                .orElseThrow();
        return new JobQuotaExceeded(policy, Math.max(1, seconds(row.getLong("retry_micros"))), status);
    }

    private List<QuotaStatus> quotaStatus(Row row) {
        String[] policies = row.getArrayOfStrings("policies");
        Integer[] remaining = row.getArrayOfIntegers("remaining");
        Long[] resets = row.getArrayOfLongs("reset_micros");
        List<QuotaStatus> status = new ArrayList<>();
        for (int i = 0; i < policies.length; i++) {
            int limit = policies[i].equals(QuotaStatus.PER_KEY) ? quotas.perKey : quotas.perAccount;
            status.add(new QuotaStatus(policies[i], limit, remaining[i], seconds(resets[i])));
        }
        return status;
    }

    private static int seconds(long micros) {
        return (int) Math.ceil(micros / MICROS_PER_SECOND);
    }

    /**
     * Cancels a job of the account. Its chunks are revoked in the same transaction: a cancellation that waits for their
     * owners would not end while one of them is down. A finished job does not change.
     */
    public Future<Void> cancel(CancelJob request) {
        return database.query(CANCEL, Tuple.of(request.token(), request.accountId(), retentionSeconds))
                .mapEmpty();
    }

    /** The first of the requested lines, limited by size. */
    public Future<ResultLines> results(ReadResults request) {
        Integer[] pages = request.indexes().stream()
                .map(index -> index / LINES_PER_PAGE)
                .distinct()
                .toArray(Integer[]::new);
        return database.read(
                        RESULTS,
                        Tuple.of(
                                request.jobId(),
                                request.version(),
                                request.indexes().toArray(Integer[]::new),
                                pages,
                                MAX_PAGE_BYTES))
                .map(rows -> {
                    List<ResultLine> lines = new ArrayList<>();
                    for (Row row : rows) {
                        Buffer body = row.getBuffer(2);
                        lines.add(new ResultLine(
                                row.getInteger(0), row.getBuffer(1).toString(), body == null ? null : body.getBytes()));
                    }
                    return new ResultLines(lines);
                });
    }

    /**
     * The lines with a result. A version is assigned while the row of the job is locked, and the lock is held until the
     * commit. So each result with a version up to that of a job that was read is visible.
     */
    public Future<FinishedLines> finishedLines(ListFinishedLines request) {
        return database.readAll(
                        FINISHED_LINES,
                        Tuple.of(
                                request.jobId(),
                                request.fromVersion(),
                                request.version(),
                                request.verdicts().toArray(String[]::new)),
                        row -> new FinishedLine(row.getInteger(0), row.getLong(1)))
                .map(FinishedLines::new);
    }

    /**
     * Deletes a slice of expired jobs. With a retention of at least a day, jobs are deleted after the partition of
     * their results was probably dropped.
     */
    public Future<Integer> purgeExpired(Database maintenance, int slice) {
        int delayDays = retentionSeconds < SECONDS_PER_DAY ? 0 : MAX_PARTITION_DELAY_DAYS;
        return maintenance
                .query("select purge_jobs($1, make_interval(days => $2))", Tuple.of(slice, delayDays))
                .map(rows -> rows.iterator().next().getInteger(0));
    }

    /**
     * Creates the partitions of the next days, and drops one partition of expired results. The number of partitions
     * does not exceed {@value #PARTITIONS} by much, because each statement on results locks all of them.
     *
     * @return {@code slice} if the next call may drop another one
     */
    public Future<Integer> maintainPartitions(Database maintenance, int slice) {
        int days = Math.max(1, (int) (retentionSeconds / SECONDS_PER_DAY / PARTITIONS));
        return maintenance
                .query("select maintain_job_partitions($1)", Tuple.of(days))
                .map(rows -> rows.iterator().next().getInteger(0) == 0 ? 0 : slice);
    }

    public static Future<Integer> purgeIdempotencyKeys(Database maintenance, int slice) {
        return maintenance
                .query(
                        """
            delete from job_request where (key_id, idempotency_key) in (
              select key_id, idempotency_key from job_request
              where created_at <= statement_timestamp() - interval '24 hours'
              order by created_at limit $1 for update skip locked)""",
                        Tuple.of(slice))
                .map(rows -> rows.rowCount());
    }

    /** Cancels jobs of deleted accounts. A job counts as {@value #ROWS_PER_JOB} rows. */
    public static Future<Integer> cancelJobsOfDeletedAccounts(Database maintenance, int slice) {
        int jobs = Math.max(1, slice / ROWS_PER_JOB);
        return maintenance
                .query("select cancel_jobs_of_deleted_accounts($1)", Tuple.of(jobs))
                .map(rows -> rows.iterator().next().getInteger(0))
                .map(cancelled -> cancelled < jobs ? 0 : slice);
    }
}
