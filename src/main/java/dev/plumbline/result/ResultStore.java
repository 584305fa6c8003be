package dev.plumbline.result;

import dev.plumbline.concurrent.Batcher;
import dev.plumbline.store.Database;
import dev.plumbline.store.DatabaseUnavailableException;
import dev.plumbline.store.RetentionTask;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The result cache in PostgreSQL, shared by all nodes. Lookups and writes are batched. */
public final class ResultStore {
    // Lookups have a smaller batch because bodies have up to 64 KiB; writes are limited by bytes.
    private static final Batcher.Limits FINDS = new Batcher.Limits(128, 10_000, 2);
    private static final Batcher.Limits STORES = new Batcher.Limits(500, 10_000, 1, 25);
    private static final long STORED_BYTES = 16L << 20;

    private static final String FIND =
            """
      select key, body, line, checked_at, expires_at from (
        select key, body, checked_at, expires_at, (
            select r.body from job_result r where r.job_id = c.job_id and r.index = c.index) as line
          from result_cache c
          where key = any($1) and expires_at > clock_timestamp()) known
      where coalesce(body, line) is not null""";

    // Ordered by key to prevent deadlocks between batches.
    private static final String STORE =
            """
      insert into result_cache as kept (key, body, checked_at, expires_at)
      select * from unnest($1::text[], $2::bytea[], $3::timestamptz[], $4::timestamptz[])
        as fresh(key, body, checked_at, expires_at)
      order by key
      on conflict (key) do update
        set body = excluded.body, job_id = null, index = null,
          checked_at = excluded.checked_at, expires_at = excluded.expires_at
        where kept.checked_at < excluded.checked_at""";

    private static final String PURGE =
            """
      delete from result_cache where key in (
        select key from result_cache where expires_at <= clock_timestamp()
        order by expires_at limit $1 for update skip locked)""";

    private final Database database;
    private final Batcher<String, @Nullable Stored> finds;
    private final Batcher<Entry, Boolean> stores;
    private final AtomicLong bytesInFlight = new AtomicLong();

    /**
     * A cached result.
     *
     * @param body as given to {@link #store}, or the result of a line of a job
     * @param ofLine whether the body is the result of a line
     */
    public record Stored(Buffer body, boolean ofLine, Instant checkedAt, Instant expiresAt) {}

    /**
     * A result to cache.
     *
     * @param key a digest of module, target and options; at most 2,000 bytes in UTF-8
     */
    public record Entry(String key, Buffer body, Instant checkedAt, Instant expiresAt) {}

    public ResultStore(Vertx vertx, Database database) {
        this.database = database;
        this.finds = new Batcher<>(vertx, FINDS, this::findAll);
        this.stores = new Batcher<>(vertx, STORES, this::storeAll);
    }

    /**
     * Looks up a result.
     *
     * @return null if there is no unexpired result; fails with {@code DatabaseUnavailableException}
     */
    public Future<@Nullable Stored> find(String key) {
        return finds.ask(key);
    }

    /**
     * Looks up several results, at most a few hundred, with one statement.
     *
     * @return the results in order, null for missing ones; fails as {@link #find(String)}
     */
    Future<List<@Nullable Stored>> find(List<String> keys) {
        return findAll(keys);
    }

    /**
     * Stores a result, unless a newer one exists for the key.
     *
     * @return fails with {@code DatabaseUnavailableException}, also if more than 16 MiB are queued
     */
    public Future<Void> store(Entry entry) {
        int bytes = entry.body.length();
        if (bytesInFlight.addAndGet(bytes) > STORED_BYTES) {
            bytesInFlight.addAndGet(-bytes);
            return Future.failedFuture(
                    new DatabaseUnavailableException("The result cache has too many queued writes."));
        }
        return stores.ask(entry)
                .onComplete(kept -> bytesInFlight.addAndGet(-bytes))
                .mapEmpty();
    }

    /** The number of queued lookups. */
    public int findsQueued() {
        return finds.queued();
    }

    /** The number of queued writes. */
    public int storesQueued() {
        return stores.queued();
    }

    /** Completes when all queued writes are done or have failed. */
    public Future<Void> flush() {
        return stores.drain();
    }

    /** Deletes up to {@link RetentionTask#SLICE} expired results. Returns their number. */
    public Future<Integer> purgeSlice() {
        return database.query(PURGE, Tuple.of(RetentionTask.SLICE)).map(rows -> rows.rowCount());
    }

    private Future<List<@Nullable Stored>> findAll(List<String> keys) {
        return database.query(FIND, Tuple.of(keys.toArray(String[]::new))).map(rows -> {
            Map<String, Stored> found = new HashMap<>();
            for (Row row : rows) {
                Buffer body = row.getBuffer(1);
                found.put(
                        row.getString(0),
                        new Stored(
                                body == null ? row.getBuffer(2) : body,
                                body == null,
                                row.getOffsetDateTime(3).toInstant(),
                                row.getOffsetDateTime(4).toInstant()));
            }
            List<@Nullable Stored> answers = new ArrayList<>(keys.size());
            for (String key : keys) {
                answers.add(found.get(key));
            }
            return answers;
        });
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
        List<Boolean> done = java.util.Collections.nCopies(entries.size(), true);
        return database.query(STORE, Tuple.of(keys, bodies, checked, expiring)).map(rows -> done);
    }
}
