package dev.plumbline.result.store;

import dev.plumbline.concurrent.Batcher;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.DatabaseOverloadedException;
import dev.plumbline.result.RenderedResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Cached results in PostgreSQL, shared by all nodes. Reads and writes are batched. */
public final class ResultStore {
    // A result has up to 64 KiB, so a read batch is smaller than a write batch. Pending writes are limited in bytes.
    private static final Batcher.Limits READ_LIMITS = new Batcher.Limits(128, 10_000, 2);
    private static final Batcher.Limits BULK_READ_LIMITS = new Batcher.Limits(128, 10_000, 1);
    private static final Batcher.Limits WRITE_LIMITS = new Batcher.Limits(500, 10_000, 1, 25);
    private static final long MAX_PENDING_BYTES = 16L << 20;

    private static final String FIND =
            """
      select key, body, line, checked_at, expires_at from (
        select key, body, checked_at, expires_at, (
            select r.body from job_result r where r.job_id = c.job_id and r.index = c.index) as line
          from result_cache c
          where key = any($1) and expires_at > clock_timestamp()) cached
      where coalesce(body, line) is not null""";

    // In key order, to prevent deadlocks between batches.
    private static final String STORE =
            """
      insert into result_cache as c (key, body, checked_at, expires_at)
      select key, body, checked_at, expires_at
      from unnest($1::text[], $2::bytea[], $3::timestamptz[], $4::timestamptz[])
        as fresh(key, body, checked_at, expires_at)
      order by key
      on conflict (key) do update
        set body = excluded.body, job_id = null, index = null,
          checked_at = excluded.checked_at, expires_at = excluded.expires_at
        where c.checked_at < excluded.checked_at""";

    /** The channel of notifications about unexpired results that a newer result has replaced. Payload: the key. */
    public static final String REPLACED = "result_replaced";

    private static final String PURGE =
            """
      with expired as (
        select key, expires_at, 1 + coalesce(pg_column_size(body), 0) / 8192 as size
        from result_cache where expires_at <= statement_timestamp()
        order by expires_at limit $1 for update skip locked),
      counted as (
        select key, sum(size) over (order by expires_at, key) - size as before from expired),
      deleted as (
        delete from result_cache where key in (select key from counted where before < $1)
        returning 1 + coalesce(pg_column_size(body), 0) / 8192 as size)
      select coalesce(sum(size), 0)::int from deleted""";

    private final Database database;
    private final Database bulkDatabase;
    private final Batcher<String, @Nullable RenderedResult> reads;
    private final Batcher<String, @Nullable RenderedResult> bulkReads;
    private final Batcher<Entry, Boolean> writes;
    private final AtomicLong pendingBytes = new AtomicLong();
    private final AtomicLong lostWrites = new AtomicLong();

    /**
     * A result to store.
     *
     * @param key at most 2,000 bytes in UTF-8
     */
    public record Entry(String key, Buffer body, Instant checkedAt, Instant expiresAt) {}

    public ResultStore(Vertx vertx, Database database) {
        this(vertx, database, database);
    }

    /** @param bulkDatabase for the lookups of jobs */
    public ResultStore(Vertx vertx, Database database, Database bulkDatabase) {
        this.database = database;
        this.bulkDatabase = bulkDatabase;
        this.reads = new Batcher<>(
                vertx, READ_LIMITS, DatabaseOverloadedException::queueFull, keys -> findAll(database, keys));
        this.bulkReads = new Batcher<>(
                vertx, BULK_READ_LIMITS, DatabaseOverloadedException::queueFull, keys -> findAll(bulkDatabase, keys));
        this.writes = new Batcher<>(vertx, WRITE_LIMITS, DatabaseOverloadedException::queueFull, this::storeAll);
    }

    /**
     * Finds a result that has not expired.
     *
     * @return null if there is none; fails with {@code DatabaseUnavailableException}
     */
    public Future<@Nullable RenderedResult> find(String key) {
        return reads.submit(key);
    }

    /** As {@link #find(String)}, for a part of a line of a job: with the connections of jobs. */
    Future<@Nullable RenderedResult> findForJob(String key) {
        return bulkReads.submit(key);
    }

    /**
     * Finds several results with one statement, at most a few hundred.
     *
     * @return in order, null where there is none; fails like {@link #find(String)}
     */
    Future<List<@Nullable RenderedResult>> find(List<String> keys) {
        return findAll(bulkDatabase, keys);
    }

    /**
     * Stores a result unless a newer one exists.
     *
     * @return fails with {@code DatabaseUnavailableException}, also if 16 MiB are pending
     */
    public Future<Void> store(Entry entry) {
        int bytes = entry.body.length();
        if (pendingBytes.addAndGet(bytes) > MAX_PENDING_BYTES) {
            pendingBytes.addAndGet(-bytes);
            lostWrites.incrementAndGet();
            return Future.failedFuture(DatabaseOverloadedException.queueFull());
        }
        return writes.submit(entry)
                .onComplete(stored -> pendingBytes.addAndGet(-bytes))
                .onFailure(lost -> lostWrites.incrementAndGet())
                .mapEmpty();
    }

    public int pendingLookups() {
        return reads.queued() + bulkReads.queued();
    }

    public int pendingWrites() {
        return writes.queued();
    }

    /** The number of results that were not stored. Their checks run again when they are requested from another node. */
    public long lostWrites() {
        return lostWrites.get();
    }

    /** Completes when all writes have completed or failed. */
    public Future<Void> flush() {
        return writes.drain();
    }

    public static Future<Integer> purgeExpired(Database maintenance, int slice) {
        return maintenance
                .query(PURGE, Tuple.of(slice))
                .map(rows -> rows.iterator().next().getInteger(0));
    }

    private static Future<List<@Nullable RenderedResult>> findAll(Database database, List<String> keys) {
        return database.readByKey(
                FIND, Tuple.of(keys.toArray(String[]::new)), keys, row -> row.getString(0), ResultStore::rendered);
    }

    /** Null if the result cannot be read: its check runs again, and the other lookups of the batch are not affected. */
    private static @Nullable RenderedResult rendered(Row row) {
        String key = row.getString(0);
        Buffer body = row.getBuffer(1);
        Instant checkedAt = row.getOffsetDateTime(3).toInstant();
        Instant expiresAt = row.getOffsetDateTime(4).toInstant();
        try {
            return body == null
                    ? RenderedResult.fromLine(key, row.getBuffer(2).getBytes(), checkedAt, expiresAt)
                    : RenderedResult.fromStore(key, body.getBytes(), checkedAt, expiresAt);
        } catch (IllegalArgumentException | IndexOutOfBoundsException damaged) {
            return null;
        }
    }

    private Future<List<Boolean>> storeAll(List<Entry> entries) {
        Map<String, Entry> newest = new HashMap<>();
        for (Entry entry : entries) {
            newest.merge(entry.key, entry, (a, b) -> b.checkedAt.isBefore(a.checkedAt) ? a : b);
        }
        int size = newest.size();
        String[] keys = new String[size];
        Buffer[] bodies = new Buffer[size];
        OffsetDateTime[] checked = new OffsetDateTime[size];
        OffsetDateTime[] expiring = new OffsetDateTime[size];
        int i = 0;
        for (Entry entry : newest.values()) {
            keys[i] = entry.key;
            bodies[i] = entry.body;
            checked[i] = entry.checkedAt.atOffset(ZoneOffset.UTC);
            expiring[i] = entry.expiresAt.atOffset(ZoneOffset.UTC);
            i++;
        }
        List<Boolean> done = Collections.nCopies(entries.size(), true);
        return database.query(STORE, Tuple.of(keys, bodies, checked, expiring)).map(rows -> done);
    }
}
