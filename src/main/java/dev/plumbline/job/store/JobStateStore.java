package dev.plumbline.job.store;

import dev.plumbline.bus.JobMessage.JobHead;
import dev.plumbline.bus.JobMessage.JobList;
import dev.plumbline.bus.JobMessage.ListJobs;
import dev.plumbline.bus.JobMessage.ListReply;
import dev.plumbline.bus.JobMessage.NoSuchJob;
import dev.plumbline.concurrent.Batcher;
import dev.plumbline.model.JobState;
import dev.plumbline.store.Database;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How jobs stand, in PostgreSQL. Those that are asked for at once are looked up together. */
public final class JobStateStore {
    private static final Batcher.Limits HEADS = new Batcher.Limits(200, 10_000, 2);
    private static final String FRESH = "fresh";

    private static final String HEAD_COLUMNS =
            """
      select j.*, coalesce(j.expires_at <= clock_timestamp(), false) as gone,
        case when j.running = 0 then '{}'::int[] else array(
          select unnest(c.checks || c.copies) from job_chunk c
          where c.job_id = j.id and c.state = 'claimed' order by 1) end as taken_up
      from job j""";

    private static final String HEADS_BY_TOKEN = HEAD_COLUMNS + " where j.token = any($1)";

    private static final String LIST = HEAD_COLUMNS
            + """
           where j.account_id = $1
            and j.id < case when $2::text is null then 9223372036854775807 else (
              select b.id from job b where b.token = $2 and b.account_id = $1) end
            and coalesce(j.expires_at > clock_timestamp(), true)
          order by j.id desc limit $3""";

    private static final String IS_ONE = "select exists (select 1 from job where token = $2 and account_id = $1)";

    private final Database database;
    private final Batcher<String, @Nullable Found> heads;

    /**
     * A job, and whose it is.
     *
     * @param gone whether its results have been kept long enough
     */
    public record Found(long accountId, boolean gone, JobHead head) {}

    public JobStateStore(Vertx vertx, Database database) {
        this.database = database;
        this.heads = new Batcher<>(vertx, HEADS, this::findAll);
    }

    /** The job of that name, whoever it belongs to; null if there is none. */
    public Future<@Nullable Found> find(String token) {
        return heads.ask(token);
    }

    private Future<List<@Nullable Found>> findAll(List<String> tokens) {
        return database.query(HEADS_BY_TOKEN, Tuple.of(tokens.toArray(String[]::new)))
                .map(rows -> {
                    Map<String, Found> found = new HashMap<>();
                    for (Row row : rows) {
                        found.put(row.getString("token"), found(row));
                    }
                    List<@Nullable Found> answers = new ArrayList<>(tokens.size());
                    for (String token : tokens) {
                        answers.add(found.get(token));
                    }
                    return answers;
                });
    }

    /** A page of the list; {@link NoSuchJob} where it is to begin behind a job that there is not. */
    public Future<ListReply> list(ListJobs order) {
        return database.query(LIST, Tuple.of(order.accountId(), order.beforeToken(), order.limit() + 1))
                .compose(rows -> {
                    List<JobHead> jobs = new ArrayList<>();
                    rows.forEach(row -> jobs.add(found(row).head()));
                    boolean more = jobs.size() > order.limit();
                    JobList page = new JobList(more ? List.copyOf(jobs.subList(0, order.limit())) : jobs, more);
                    return jobs.isEmpty() && order.beforeToken() != null
                            ? endOrNothing(order, page)
                            : Future.succeededFuture(page);
                });
    }

    /** What follows may all have expired since the page before was read. */
    private Future<ListReply> endOrNothing(ListJobs order, JobList end) {
        return database.query(IS_ONE, Tuple.of(order.accountId(), order.beforeToken()))
                .map(rows -> rows.iterator().next().getBoolean(0) ? end : new NoSuchJob());
    }

    /** A row with the columns {@code gone} and {@code taken_up} besides those of the table. */
    static Found found(Row row) {
        JobHead head = new JobHead(
                row.getLong("id"),
                row.getString("token"),
                row.getString("module"),
                options(row),
                JobState.of(row.getString("state")),
                row.getLong("version"),
                row.getInteger("total"),
                row.getInteger("running"),
                row.getInteger("pass"),
                row.getInteger("warn"),
                row.getInteger("fail"),
                row.getInteger("error"),
                row.getInteger("cancelled"),
                ranges(row.getArrayOfIntegers("taken_up")),
                instant(row.getOffsetDateTime("created_at")),
                optional(row, "started_at"),
                optional(row, "finished_at"),
                optional(row, "expires_at"));
        return new Found(row.getLong("account_id"), row.getBoolean("gone"), head);
    }

    /**
     * What {@code create_job} tells, now or when the request is repeated: the job's first version.
     */
    static JobHead asCreated(Row row) {
        return new JobHead(
                row.getLong("job_id"),
                row.getString("token"),
                row.getString("module"),
                options(row),
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
                instant(row.getOffsetDateTime("created_at")),
                null,
                null,
                null);
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
        return time == null ? null : instant(time);
    }

    private static Instant instant(OffsetDateTime time) {
        return time.toInstant();
    }

    /** Sorted numbers as pairs of a first one and the one after the last. */
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
