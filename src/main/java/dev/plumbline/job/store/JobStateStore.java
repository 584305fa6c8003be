package dev.plumbline.job.store;

import dev.plumbline.bus.JobMessage.DefaultPolicy;
import dev.plumbline.bus.JobMessage.JobList;
import dev.plumbline.bus.JobMessage.JobNotFound;
import dev.plumbline.bus.JobMessage.JobSnapshot;
import dev.plumbline.bus.JobMessage.ListJobs;
import dev.plumbline.bus.JobMessage.ListReply;
import dev.plumbline.bus.JobMessage.Usage;
import dev.plumbline.bus.JobMessage.UsageDay;
import dev.plumbline.bus.JobMessage.WaitingLines;
import dev.plumbline.bus.JobState;
import dev.plumbline.concurrent.Batcher;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.DatabaseOverloadedException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** States and numbers of jobs in PostgreSQL. Concurrent reads of states are batched. */
public final class JobStateStore {
    private static final Batcher.Limits LIMITS = new Batcher.Limits(200, 10_000, 2);
    private static final String FRESH = "fresh";

    private static final String SELECT =
            """
      select j.id, j.token, j.name, j.account_id, j.module, j.options, j.evaluation, j.fresh, j.state, j.version, j.total,
        j.running, j.pass, j.warn, j.fail, j.error, j.cancelled, j.created_at, j.started_at, j.finished_at, j.expires_at,
        coalesce(j.expires_at <= clock_timestamp(), false) as expired,
        case when j.running = 0 then '{}'::int[] else array(
          select unnest(c.checks || c.duplicates) from job_chunk c
          where c.job_id = j.id and c.state = 'claimed' order by 1) end as claimed_lines,
        case when j.running > 0 then (
          select jsonb_agg(w.lines) from node n cross join jsonb_array_elements(n.waiting -> j.id::text) w(lines))
          end as waiting
      from job j""";

    private static final String FIND_BY_TOKEN = SELECT + " where j.token = any($1)";

    private static final String LIST = SELECT
            + """
           where j.account_id = $1
            and j.id < case when $2::text is null then 9223372036854775807 else (
              select b.id from job b where b.token = $2 and b.account_id = $1) end
            and coalesce(j.expires_at > clock_timestamp(), true)
          order by j.id desc limit $3""";

    private static final String EXISTS = "select exists (select 1 from job where token = $2 and account_id = $1)";

    // IDs ascend in the order of creation, except for concurrent creations.
    private static final String USAGE =
            """
      with latest as (
        select created_at, total from job where account_id = $1 order by id desc limit $2)
      select date_trunc('day', created_at, 'UTC') as day, count(*)::int as jobs,
        sum(total)::bigint as lines,
        (count(*) filter (where created_at > clock_timestamp() - interval '1 hour'))::int as hour,
        (select count(*) from latest) < $2 as complete
      from latest where created_at > clock_timestamp() - interval '30 days'
      group by 1 order by 1""";

    /** Maximum number of jobs that are counted for the usage. */
    private static final int MAX_COUNTED_JOBS = 20_000;

    private final Database database;
    private final Batcher<String, @Nullable OwnedJob> batcher;

    /**
     * A job with its owner.
     *
     * @param expired whether its retention time is over
     */
    public record OwnedJob(long accountId, boolean expired, JobSnapshot head) {}

    public JobStateStore(Vertx vertx, Database database) {
        this.database = database;
        this.batcher = new Batcher<>(vertx, LIMITS, DatabaseOverloadedException::queueFull, this::findAll);
    }

    /** The job with this token, or null. */
    public Future<@Nullable OwnedJob> find(String token) {
        return batcher.submit(token);
    }

    private Future<List<@Nullable OwnedJob>> findAll(List<String> tokens) {
        return database.readByKey(
                FIND_BY_TOKEN,
                Tuple.of(tokens.toArray(String[]::new)),
                tokens,
                row -> row.getString("token"),
                JobStateStore::job);
    }

    /** A page of the list; {@link JobNotFound} if {@code beforeToken} does not exist. */
    public Future<ListReply> list(ListJobs request) {
        return database.read(LIST, Tuple.of(request.accountId(), request.beforeToken(), request.limit() + 1))
                .compose(rows -> {
                    List<JobSnapshot> jobs = new ArrayList<>();
                    rows.forEach(row -> jobs.add(job(row).head()));
                    boolean more = jobs.size() > request.limit();
                    JobList page = new JobList(more ? List.copyOf(jobs.subList(0, request.limit())) : jobs, more);
                    return jobs.isEmpty() && request.beforeToken() != null
                            ? emptyPageOrNotFound(request, page)
                            : Future.succeededFuture(page);
                });
    }

    /** Distinguishes the end of the list from an unknown token. */
    private Future<ListReply> emptyPageOrNotFound(ListJobs request, JobList emptyPage) {
        return database.read(EXISTS, Tuple.of(request.accountId(), request.beforeToken()))
                .map(rows -> rows.iterator().next().getBoolean(0) ? emptyPage : new JobNotFound());
    }

    /**
     * The account's usage in the last 30 days. It is counted from the jobs, because a counter would be one more write
     * per job.
     */
    public Future<Usage> usage(long accountId) {
        return database.read(USAGE, Tuple.of(accountId, MAX_COUNTED_JOBS)).map(rows -> {
            List<UsageDay> days = new ArrayList<>();
            int lastHour = 0;
            boolean complete = true;
            for (Row row : rows) {
                days.add(new UsageDay(instant(row, "day"), row.getInteger("jobs"), row.getLong("lines")));
                lastHour += row.getInteger("hour");
                complete = row.getBoolean("complete");
            }
            return new Usage(days, lastHour, complete);
        });
    }

    /** Maps a row of {@link #SELECT}. */
    static OwnedJob job(Row row) {
        JobSnapshot head = new JobSnapshot(
                row.getLong("id"),
                row.getString("token"),
                row.getString("name"),
                row.getString("module"),
                options(row),
                DefaultPolicy.of(row.get(JsonObject.class, "evaluation")),
                JobState.of(row.getString("state")),
                row.getLong("version"),
                row.getInteger("total"),
                row.getInteger("running"),
                row.getInteger("pass"),
                row.getInteger("warn"),
                row.getInteger("fail"),
                row.getInteger("error"),
                row.getInteger("cancelled"),
                ranges(row.getArrayOfIntegers("claimed_lines")),
                waiting(row.getJsonArray("waiting"), row.getInteger("running")),
                instant(row, "created_at"),
                optional(row, "started_at"),
                optional(row, "finished_at"),
                optional(row, "expires_at"));
        return new OwnedJob(row.getLong("account_id"), row.getBoolean("expired"), head);
    }

    /** Maps a row of {@code create_job}: version 1 of the job. */
    static JobSnapshot created(Row row) {
        return new JobSnapshot(
                row.getLong("job_id"),
                row.getString("token"),
                row.getString("name"),
                row.getString("module"),
                options(row),
                DefaultPolicy.of(row.get(JsonObject.class, "evaluation")),
                JobState.QUEUED,
                1,
                row.getInteger("total"),
                0,
                0,
                0,
                0,
                0,
                0,
                List.of(),
                List.of(),
                instant(row, "created_at"),
                null,
                null,
                null);
    }

    /** The lines of all nodes that wait for limits of targets. */
    private static List<WaitingLines> waiting(@Nullable JsonArray recorded, int running) {
        return recorded == null
                ? List.of()
                : WaitingLines.most(
                        recorded.stream()
                                .map(JsonObject.class::cast)
                                .map(lines -> new WaitingLines(
                                        lines.getString("target_address"),
                                        lines.getString("limit"),
                                        lines.getInteger("per_second"),
                                        lines.getInteger("lines")))
                                .toList(),
                        running);
    }

    private static Map<String, Object> options(Row row) {
        Map<String, Object> options =
                new TreeMap<>(row.get(JsonObject.class, "options").getMap());
        if (row.getBoolean(FRESH)) {
            options.put(FRESH, true);
        }
        return options;
    }

    private static @Nullable Instant optional(Row row, String column) {
        OffsetDateTime time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }

    private static Instant instant(Row row, String column) {
        return row.getOffsetDateTime(column).toInstant();
    }

    /** Converts ascending indexes to pairs of first (inclusive) and last (exclusive). */
    static List<Integer> ranges(Integer[] sorted) {
        List<Integer> ranges = new ArrayList<>();
        for (Integer index : sorted) {
            int last = ranges.size() - 1;
            if (last > 0 && ranges.get(last).equals(index)) {
                ranges.set(last, index + 1);
            } else {
                ranges.add(index);
                ranges.add(index + 1);
            }
        }
        return ranges;
    }
}
