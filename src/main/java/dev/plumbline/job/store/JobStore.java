package dev.plumbline.job.store;

import dev.plumbline.bus.JobMessage.CancelJob;
import dev.plumbline.bus.JobMessage.CreateJob;
import dev.plumbline.bus.JobMessage.CreateReply;
import dev.plumbline.bus.JobMessage.Idempotency;
import dev.plumbline.bus.JobMessage.IdempotencyMismatch;
import dev.plumbline.bus.JobMessage.IdempotencyPending;
import dev.plumbline.bus.JobMessage.JobCreated;
import dev.plumbline.bus.JobMessage.JobOverQuota;
import dev.plumbline.bus.JobMessage.QuotaLeft;
import dev.plumbline.bus.JobMessage.ReadResults;
import dev.plumbline.bus.JobMessage.ResultLine;
import dev.plumbline.bus.JobMessage.ResultLines;
import dev.plumbline.store.Database;
import dev.plumbline.store.RetentionTask;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Jobs in PostgreSQL: how they are created, ended, read line by line, and deleted. */
public final class JobStore {
    private static final long WINDOW_MICROS = Duration.ofHours(1).toNanos() / 1_000;
    private static final double MICROS_PER_SECOND = 1_000_000.0;
    private static final int PAGE_BYTES = 128 * 1024;
    private static final int ENDED_AT_ONCE = 100;

    private static final String CREATE =
            "select * from create_job($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";

    private static final String CANCEL = "select cancel_job($1, $2, make_interval(secs => $3))";

    // The sizes first, so that no more bodies are unpacked than are sent; and line by line, because
    // a plan for joins takes in all results of all jobs while the statistics are young.
    private static final String RESULTS =
            """
      with line as (
        select (p.page * 50 + l.ord - 1)::int as index, l.input, r.same_as, r.bytes
        from job_input p cross join unnest(p.inputs) with ordinality as l(input, ord)
          left join lateral (
            select r.same_as, coalesce(octet_length(r.body), (
              select octet_length(o.body) from job_result o
              where o.job_id = r.job_id and o.index = r.same_as)) as bytes
            from job_result r
            where r.job_id = $1 and r.index = (p.page * 50 + l.ord - 1)::int and r.version <= $2
            offset 0) r on true
        where p.job_id = $1 and p.page between $3 / 50 and ($3 + $4 - 1) / 50
          and p.page * 50 + l.ord - 1 between $3 and $3 + $4 - 1),
      counted as (
        select l.*, sum(coalesce(l.bytes, 0)) over (order by l.index) - coalesce(l.bytes, 0) as before
        from line l)
      select c.index, c.input, case when c.bytes is not null then (
          select r.body from job_result r
          where r.job_id = $1 and r.index = coalesce(c.same_as, c.index)) end as body
      from counted c
      where c.before < $5
      order by c.index""";

    private final Database database;
    private final double keepSeconds;
    private final Quotas quotas;

    /**
     * How many jobs may be created in any 60 minutes; 0 for no limit.
     *
     * @param perKey with one API key
     * @param perAccount with all keys of an account
     */
    public record Quotas(int perKey, int perAccount) {}

    /**
     * @param keep how long the results of a job are kept after its end
     */
    public JobStore(Database database, Duration keep, Quotas quotas) {
        this.database = database;
        this.keepSeconds = keep.toMillis() / 1_000.0;
        this.quotas = quotas;
    }

    /**
     * Takes the quotas and writes the job, or neither.
     *
     * @param firsts for each line the index of the first with an equal target; null if all differ
     * @return fails with {@code DatabaseUnavailableException}; then the job may still be there
     */
    public Future<CreateReply> create(String token, CreateJob order, Integer @Nullable [] firsts) {
        Idempotency idempotency = order.idempotency();
        Tuple arguments = Tuple.tuple()
                .addString(token)
                .addLong(order.accountId())
                .addLong(order.keyId())
                .addString(order.module())
                .addValue(new JsonObject(order.options()))
                .addBoolean(order.fresh())
                .addArrayOfBuffer(order.items().stream().map(Buffer::buffer).toArray(Buffer[]::new))
                .addArrayOfInteger(firsts)
                .addString(idempotency == null ? null : idempotency.key())
                .addString(idempotency == null ? null : idempotency.bodyHash())
                .addInteger(quotas.perKey)
                .addInteger(quotas.perAccount)
                .addLong(WINDOW_MICROS);
        return database.query(CREATE, arguments)
                .map(rows -> reply(rows.iterator().next()));
    }

    private CreateReply reply(Row row) {
        return switch (row.getString("outcome")) {
            case "created" -> new JobCreated(JobStateStore.asCreated(row), false, left(row));
            case "replayed" -> new JobCreated(JobStateStore.asCreated(row), true, List.of());
            case "mismatch" -> new IdempotencyMismatch();
            case "pending" -> new IdempotencyPending();
            default -> denied(row);
        };
    }

    private JobOverQuota denied(Row row) {
        List<QuotaLeft> left = left(row);
        String exceeded = row.getString("exceeded");
        QuotaLeft policy = left.stream()
                .filter(quota -> quota.policy().equals(exceeded))
                .findFirst()
                .orElseThrow();
        return new JobOverQuota(policy, Math.max(1, seconds(row.getLong("retry_micros"))), left);
    }

    private List<QuotaLeft> left(Row row) {
        String[] policies = row.getArrayOfStrings("policies");
        Integer[] remaining = row.getArrayOfIntegers("remaining");
        Long[] resets = row.getArrayOfLongs("reset_micros");
        List<QuotaLeft> left = new ArrayList<>();
        for (int i = 0; i < policies.length; i++) {
            int limit = policies[i].equals(QuotaLeft.OF_KEY) ? quotas.perKey : quotas.perAccount;
            left.add(new QuotaLeft(policies[i], limit, remaining[i], seconds(resets[i])));
        }
        return left;
    }

    private static int seconds(long micros) {
        return (int) Math.ceil(micros / MICROS_PER_SECOND);
    }

    /** Ends the account's job of that name if it goes on; what is done is kept. */
    public Future<Void> cancel(CancelJob order) {
        return database.query(CANCEL, Tuple.of(order.token(), order.accountId(), keepSeconds))
                .mapEmpty();
    }

    /** The lines from an index on: as many as asked for, fewer where they are large. */
    public Future<ResultLines> results(ReadResults order) {
        return database.query(
                        RESULTS,
                        Tuple.of(order.jobId(), order.version(), order.fromIndex(), order.mostLines(), PAGE_BYTES))
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

    /** Deletes up to {@link RetentionTask#SLICE} rows that are not kept any longer. */
    public Future<Integer> purgeSlice() {
        return database.query("select purge_jobs($1)", Tuple.of(RetentionTask.SLICE))
                .map(rows -> rows.iterator().next().getInteger(0));
    }

    /** Deletes up to {@link RetentionTask#SLICE} requests that may be made again. */
    public Future<Integer> purgeRequests() {
        return database.query(
                        """
            delete from job_request where (key_id, name) in (
              select key_id, name from job_request
              where created_at <= clock_timestamp() - interval '24 hours'
              order by created_at limit $1 for update skip locked)""",
                        Tuple.of(RetentionTask.SLICE))
                .map(rows -> rows.rowCount());
    }

    /**
     * Ends some jobs of deleted accounts: fewer than {@link RetentionTask#SLICE}, because each is many rows
     * and all are one statement, which has to end in its time.
     *
     * @return {@code RetentionTask.SLICE} if there may be more
     */
    public Future<Integer> abandonSlice() {
        return database.query("select abandon_jobs($1)", Tuple.of(ENDED_AT_ONCE))
                .map(rows -> rows.iterator().next().getInteger(0))
                .map(ended -> ended < ENDED_AT_ONCE ? ended : RetentionTask.SLICE);
    }
}
