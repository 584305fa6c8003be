package dev.plumbline.share;

import com.google.common.hash.Hashing;
import dev.plumbline.bus.JobMessage.DefaultPolicy;
import dev.plumbline.bus.JobMessage.JobSnapshot;
import dev.plumbline.bus.JobMessage.ResultLine;
import dev.plumbline.bus.JobState;
import dev.plumbline.concurrent.AsyncSemaphore;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.DatabaseOverloadedException;
import dev.plumbline.share.SharedResult.SharedCheck;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Shared results in PostgreSQL. Results are not cached in memory, so that a deletion is effective on all nodes.
 *
 * <p>The lines of a job are copied within the database, because their own rows are dropped with their partition, and
 * because a copy through the node would use its memory and CPU time for up to 32 MiB. The size of all shared results is
 * a counter that is updated at the end of the transaction, so that the limit is exact and requires no scan; creations
 * wait for each other for the duration of a commit.
 */
public final class SharedResultStore {
    private static final String CREATE =
            """
      select outcome, created_at, expires_at
      from share_result($1, $2, $3, $4, $5, $6, $7, $8, $9, make_interval(secs => $10), $11, $12)""";

    private static final String COLUMNS = "r.id, r.content, r.bytes, r.created_at, r.expires_at";

    private static final String FIND =
            "select " + COLUMNS + " from shared_result r where r.id = $1 and r.expires_at > clock_timestamp()";

    private static final String LIST = "select " + COLUMNS
            + """
       from shared_result r
      where r.account_id = $1 and r.expires_at > clock_timestamp() and (r.created_at, r.id) < ($2, $3)
      order by r.created_at desc, r.id desc limit $4""";

    private static final String LIST_ALL = "select " + COLUMNS
            + """
      , a.email from shared_result r left join account a on a.id = r.account_id
      where r.expires_at > clock_timestamp() and (r.created_at, r.id) < ($1, $2)
      order by r.created_at desc, r.id desc limit $3""";

    private static final String PAGE =
            """
      select p.first_index, p.inputs, p.bodies from shared_result_page p
      where p.result_id = $1 and p.first_index <= $2 order by p.first_index desc limit 1""";

    private static final String DELETE =
            "delete from shared_result r where r.id = $1 and r.expires_at > clock_timestamp()";

    // A result counts once, and once more for each 8 KiB. At least one is deleted.
    private static final String PURGE =
            """
      with expired as (
        select id, expires_at, (1 + bytes / 8192)::int as size from shared_result
        where expires_at <= statement_timestamp() order by expires_at limit $1 for update skip locked),
      counted as (select id, size, sum(size) over (order by expires_at, id) - size as before from expired),
      deleted as (
        delete from shared_result r using counted c where r.id = c.id and c.before < $1 returning c.size)
      select least(coalesce(sum(size), 0), $1)::int from deleted""";

    private static final double MILLIS_PER_SECOND = 1_000;

    /** A copy needs up to some seconds and a connection of the maintenance pool. The other one remains free. */
    private static final int MAX_COPIES = 1;

    private static final int MAX_WAITING_COPIES = 16;
    private static final long MAX_WAIT_MS = 5_000;

    private final Database database;
    private final Database maintenance;
    private final Limits limits;
    private final AsyncSemaphore copies;

    /**
     * The limits of shared results.
     *
     * @param retention the time for which a result is shared
     * @param perAccount the maximum number of results of one account
     * @param maxBytes the maximum size of all results
     */
    public record Limits(Duration retention, int perAccount, long maxBytes) {}

    /** The outcome of a creation. */
    public sealed interface Creation {}

    public record Created(SharedResult result) implements Creation {}

    /** Nothing was created. */
    public enum Rejection implements Creation {
        /** The account has too many shared results. */
        ACCOUNT_LIMIT,
        /** All shared results are too large. */
        TOTAL_LIMIT,
        /** Results of the job have been deleted after its retention time. */
        EXPIRED
    }

    /**
     * The position in a list, after a result.
     *
     * @param id of the result
     */
    public record Position(Instant createdAt, String id) {
        /** Before the newest result. */
        public static final Position START = new Position(Instant.parse("9999-01-01T00:00:00Z"), "");

        public static Position after(SharedResult result) {
            return new Position(result.createdAt(), result.id());
        }
    }

    /** @param email the address of the owner; empty for a deleted account; null for a check */
    public record OwnedResult(SharedResult result, @Nullable String email) {}

    /** @param maintenance a pool with a timeout for slow statements, which copies jobs */
    public SharedResultStore(Vertx vertx, Database database, Database maintenance, Limits limits) {
        this.database = database;
        this.maintenance = maintenance;
        this.limits = limits;
        this.copies = new AsyncSemaphore(vertx, MAX_COPIES, MAX_WAITING_COPIES);
    }

    public Limits limits() {
        return limits;
    }

    /**
     * Shares the result of an instant check.
     *
     * @param body the result as JSON
     */
    public Future<Creation> share(SharedCheck check, Buffer body, String deleteToken) {
        JsonObject content = new JsonObject()
                .put("module", check.module())
                .put("target", check.target())
                .put("options", new JsonObject(new TreeMap<>(check.options())));
        return create(
                database,
                Tuple.tuple()
                        .addString(SharedResult.generateId())
                        .addLong(null)
                        .addBuffer(hash(deleteToken))
                        .addValue(content)
                        .addBuffer(Buffer.buffer(check.target()))
                        .addBuffer(body)
                        .addLong(null)
                        .addInteger(null)
                        .addInteger(null));
    }

    /**
     * Copies a job with its lines within the database, so that they do not use the memory of the node.
     *
     * @param job finished
     * @return fails with {@link DatabaseOverloadedException} if too many jobs are being copied
     */
    public Future<Creation> share(long accountId, JobSnapshot job) {
        Tuple arguments = Tuple.tuple()
                .addString(SharedResult.generateId())
                .addLong(accountId)
                .addBuffer(null)
                .addValue(content(job))
                .addBuffer(null)
                .addBuffer(null)
                .addLong(job.id())
                .addInteger(job.total())
                .addInteger(job.done());
        return copies.withPermit(
                MAX_WAIT_MS,
                () -> create(maintenance, arguments),
                () -> Future.failedFuture(DatabaseOverloadedException.queueFull()));
    }

    private Future<Creation> create(Database pool, Tuple arguments) {
        String id = arguments.getString(0);
        JsonObject content = arguments.get(JsonObject.class, 3);
        arguments
                .addDouble(limits.retention.toMillis() / MILLIS_PER_SECOND)
                .addInteger(limits.perAccount)
                .addLong(limits.maxBytes);
        return pool.query(CREATE, arguments).map(rows -> {
            Row row = rows.iterator().next();
            return switch (row.getString(0)) {
                case "created" -> new Created(result(id, content, 0, instant(row, 1), instant(row, 2)));
                case "account_limit" -> Rejection.ACCOUNT_LIMIT;
                case "total_limit" -> Rejection.TOTAL_LIMIT;
                default -> Rejection.EXPIRED;
            };
        });
    }

    /** The shared result with this ID, or null. */
    public Future<@Nullable SharedResult> find(String id) {
        return SharedResult.isId(id)
                ? database.read(FIND, Tuple.of(id)).map(SharedResultStore::first)
                : Future.succeededFuture(null);
    }

    private static @Nullable SharedResult first(RowSet<Row> rows) {
        return rows.size() == 0 ? null : result(rows.iterator().next());
    }

    /** A part of the results of an account, newest first. */
    public Future<List<SharedResult>> list(long accountId, Position after, int limit) {
        return database.readAll(
                LIST,
                Tuple.of(accountId, after.createdAt.atOffset(ZoneOffset.UTC), after.id, limit),
                SharedResultStore::result);
    }

    /** A part of all results, newest first. */
    public static Future<List<OwnedResult>> listAll(Database database, Position after, int limit) {
        return database.readAll(
                LIST_ALL,
                Tuple.of(after.createdAt.atOffset(ZoneOffset.UTC), after.id, limit),
                row -> new OwnedResult(result(row), row.getString(5)));
    }

    /**
     * Reads lines of a result.
     *
     * @param indexes ascending
     * @return the first one, and those of the others that are stored with it; empty if the result was deleted
     */
    public Future<List<ResultLine>> lines(String id, List<Integer> indexes) {
        return database.read(PAGE, Tuple.of(id, indexes.get(0))).map(rows -> {
            List<ResultLine> lines = new ArrayList<>();
            for (Row row : rows) {
                int first = row.getInteger(0);
                Buffer[] inputs = row.getArrayOfBuffers(1);
                @Nullable Buffer[] bodies = row.getArrayOfBuffers(2);
                for (int index : indexes) {
                    if (index - first >= inputs.length) {
                        break;
                    }
                    Buffer body = bodies[index - first];
                    lines.add(new ResultLine(
                            index, inputs[index - first].toString(), body == null ? null : body.getBytes()));
                }
            }
            return lines;
        });
    }

    /** Deletes a result of an instant check. Returns whether it existed and this is its token. */
    public Future<Boolean> deleteWithToken(String id, String deleteToken) {
        return delete(database, DELETE + " and r.delete_token_hash = $2", Tuple.of(id, hash(deleteToken)));
    }

    /** Deletes a result of an account. Returns whether it existed. */
    public Future<Boolean> deleteOfAccount(String id, long accountId) {
        return delete(database, DELETE + " and r.account_id = $2", Tuple.of(id, accountId));
    }

    /** Deletes any result. Returns whether it existed. */
    public static Future<Boolean> delete(Database database, String id) {
        return delete(database, DELETE, Tuple.of(id));
    }

    private static Future<Boolean> delete(Database database, String sql, Tuple arguments) {
        // PostgreSQL rejects a text with U+0000
        if (!SharedResult.isId(arguments.getString(0))) {
            return Future.succeededFuture(false);
        }
        return database.query(sql, arguments).map(rows -> rows.rowCount() > 0);
    }

    /** Deletes a slice of expired results. */
    public static Future<Integer> purgeExpired(Database maintenance, int slice) {
        return maintenance
                .query(PURGE, Tuple.of(slice))
                .map(rows -> rows.iterator().next().getInteger(0));
    }

    private static Buffer hash(String deleteToken) {
        return Buffer.buffer(
                Hashing.sha256().hashString(deleteToken, StandardCharsets.UTF_8).asBytes());
    }

    private static JsonObject content(JobSnapshot job) {
        return new JsonObject()
                .put("name", job.name())
                .put("module", job.module())
                .put("options", new JsonObject(new TreeMap<>(job.options())))
                .put(
                        "default_policy",
                        job.defaultPolicy() == null ? null : job.defaultPolicy().toJson())
                .put("state", job.state().id())
                .put("total", job.total())
                .put("pass", job.pass())
                .put("warn", job.warn())
                .put("fail", job.fail())
                .put("error", job.error())
                .put("cancelled", job.cancelled())
                .put("created_at", job.createdAt())
                .put("started_at", job.startedAt())
                .put("finished_at", job.finishedAt());
    }

    private static SharedResult result(Row row) {
        return result(row.getString(0), row.get(JsonObject.class, 1), row.getLong(2), instant(row, 3), instant(row, 4));
    }

    private static SharedResult result(
            String id, JsonObject content, long bytes, Instant createdAt, Instant expiresAt) {
        Map<String, Object> options =
                new TreeMap<>(content.getJsonObject("options").getMap());
        String state = content.getString("state");
        if (state == null) {
            SharedCheck check = new SharedCheck(content.getString("module"), content.getString("target"), options);
            return new SharedResult(id, check, null, bytes, createdAt, expiresAt);
        }
        JobSnapshot job = new JobSnapshot(
                0,
                id,
                content.getString("name"),
                content.getString("module"),
                options,
                // absent in jobs that an earlier version shared
                DefaultPolicy.of(content.getJsonObject("default_policy")),
                JobState.of(state),
                1,
                content.getInteger("total"),
                0,
                content.getInteger("pass"),
                content.getInteger("warn"),
                content.getInteger("fail"),
                content.getInteger("error"),
                content.getInteger("cancelled"),
                List.of(),
                List.of(),
                content.getInstant("created_at"),
                content.getInstant("started_at"),
                content.getInstant("finished_at"),
                expiresAt);
        return new SharedResult(id, null, job, bytes, createdAt, expiresAt);
    }

    private static Instant instant(Row row, int column) {
        OffsetDateTime time = row.getOffsetDateTime(column);
        return time.toInstant();
    }
}
