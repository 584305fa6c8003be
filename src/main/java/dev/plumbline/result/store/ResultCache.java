package dev.plumbline.result.store;

import dev.plumbline.result.RenderedResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Cached results: in the memory of this node and in the database for all nodes. */
public final class ResultCache {
    private final MemoryResultCache memory;
    private final ResultStore store;
    private final Duration ttl;

    /**
     * The cache entry of a job line.
     *
     * @param storedKey the key in the database
     */
    public record LineCacheEntry(String storedKey, Instant checkedAt, Instant expiresAt) {}

    /** @param ttl how long a result is returned from the cache */
    public ResultCache(MemoryResultCache memory, ResultStore store, Duration ttl) {
        this.memory = memory;
        this.store = store;
        this.ttl = ttl;
    }

    /** The result in memory, or null. */
    public @Nullable RenderedResult findInMemory(ResultKey key) {
        return memory.find(key.stored());
    }

    /**
     * The result in the database, or null. It is added to the memory cache.
     *
     * @return fails with {@code DatabaseUnavailableException}
     */
    public Future<@Nullable RenderedResult> findStored(ResultKey key) {
        return store.find(key.stored()).onSuccess(result -> {
            if (result != null) {
                memory.putStored(result);
            }
        });
    }

    /**
     * The result in the database, or null, for a part of a line of a job. It is not added to the memory cache.
     *
     * @return fails with {@code DatabaseUnavailableException}
     */
    public Future<@Nullable RenderedResult> findStoredForJob(ResultKey key) {
        return store.findForJob(key.stored());
    }

    /**
     * The cached results of several keys, in order, null where there is none. They are not added to the memory cache.
     *
     * @return fails with {@code DatabaseUnavailableException}
     */
    public Future<List<@Nullable RenderedResult>> find(List<ResultKey> keys) {
        List<@Nullable RenderedResult> results = new ArrayList<>(keys.size());
        List<ResultKey> missing = new ArrayList<>();
        for (ResultKey key : keys) {
            RenderedResult result = findInMemory(key);
            results.add(result);
            if (result == null) {
                missing.add(key);
            }
        }
        if (missing.isEmpty()) {
            return Future.succeededFuture(results);
        }
        List<String> stored = missing.stream().map(ResultKey::stored).toList();
        return store.find(stored).map(found -> {
            Iterator<@Nullable RenderedResult> next = found.iterator();
            results.replaceAll(result -> result == null ? next.next() : result);
            return results;
        });
    }

    /** Whether this object is the result of its check in memory. False if another result has replaced it. */
    public boolean isCurrent(RenderedResult result) {
        return memory.isCurrent(result);
    }

    /** As {@link #findStored}, without the result in memory, which may have been replaced by another node. */
    public Future<@Nullable RenderedResult> reload(ResultKey key) {
        memory.remove(key.stored());
        return findStored(key);
    }

    /**
     * Adds a new result to memory and database if it is cacheable.
     *
     * @param json the result as written by {@code ResultJson}
     */
    public RenderedResult add(ResultKey key, byte[] json, Instant checkedAt, boolean cacheable) {
        RenderedResult result = RenderedResult.of(key.stored(), json, checkedAt, cacheable, ttl);
        if (result.cacheable()) {
            memory.put(result);
            store(result);
        }
        return result;
    }

    /**
     * Adds a new, cacheable result of a part of a line of a job to the database only, because they would evict the
     * results of instant checks from the memory cache.
     *
     * @param json the result as written by {@code ResultJson}
     */
    public void addStored(ResultKey key, byte[] json, Instant checkedAt) {
        store(RenderedResult.of(key.stored(), json, checkedAt, true, ttl));
    }

    private void store(RenderedResult result) {
        store.store(new ResultStore.Entry(
                result.key(), Buffer.buffer(result.result()), result.checkedAt(), result.expiresAt()));
    }

    /**
     * The cache entry for a new, cacheable result of a line. Lines are not added to the memory cache, because one job
     * would evict the results of instant checks.
     */
    public LineCacheEntry cacheEntry(ResultKey key, Instant checkedAt) {
        return new LineCacheEntry(key.stored(), checkedAt, checkedAt.plus(ttl));
    }
}
