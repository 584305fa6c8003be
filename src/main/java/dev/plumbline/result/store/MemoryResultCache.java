package dev.plumbline.result.store;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plumbline.result.RenderedResult;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Cached results in memory: by check and by raw request path. A result of a path is used only while it is the result of
 * its check. Thread-safe.
 */
public final class MemoryResultCache {
    /** Longer than the timeout of database statements. */
    private static final Duration LOOKUP_TIME = Duration.ofSeconds(30);

    private static final int MAX_REPLACED = 100_000;

    private final Clock clock;
    private final Cache<String, RenderedResult> byKey;
    private final Cache<String, RenderedResult> byPath;

    /** The keys of results that were replaced in the database, while a lookup can still return the previous result. */
    private final Cache<String, Boolean> replaced = Caffeine.newBuilder()
            .expireAfterWrite(LOOKUP_TIME)
            .maximumSize(MAX_REPLACED)
            .executor(Runnable::run)
            .build();

    /** @param memoryBytes the memory limit of both caches together */
    public MemoryResultCache(Clock clock, long memoryBytes) {
        this.clock = clock;
        this.byKey = newCache(memoryBytes / 2);
        this.byPath = newCache(memoryBytes / 2);
    }

    private static Cache<String, RenderedResult> newCache(long bytes) {
        return Caffeine.newBuilder()
                .maximumWeight(bytes)
                .weigher((String key, RenderedResult result) -> key.length() * 2 + result.weight())
                .executor(Runnable::run)
                .build();
    }

    /** @param key as stored */
    @Nullable
    RenderedResult find(String key) {
        RenderedResult result = byKey.getIfPresent(key);
        if (result != null && result.expired(clock.instant())) {
            byKey.asMap().remove(key, result);
            return null;
        }
        return result;
    }

    void put(RenderedResult result) {
        byKey.put(result.key(), result);
    }

    /** Adds a result of the database, unless it may have been replaced during the lookup. */
    void putStored(RenderedResult result) {
        byKey.put(result.key(), result);
        if (replaced.getIfPresent(result.key()) != null) {
            byKey.asMap().remove(result.key(), result);
        }
    }

    /**
     * Removes a result that was replaced in the database.
     *
     * @param key as stored
     */
    public void remove(String key) {
        replaced.put(key, true);
        byKey.invalidate(key);
    }

    public void clear() {
        byKey.invalidateAll();
    }

    /** Whether this object is the unexpired result of its check in memory. */
    boolean isCurrent(RenderedResult result) {
        return find(result.key()) == result;
    }

    /** The unexpired result of a raw request path, or null. */
    public @Nullable RenderedResult findPath(String rawPath) {
        RenderedResult result = byPath.getIfPresent(rawPath);
        return result != null && isCurrent(result) ? result : null;
    }

    /** Adds the result of a valid raw request path if it is cacheable. */
    public void putPath(String rawPath, RenderedResult result) {
        if (result.cacheable()) {
            byPath.put(rawPath, result);
        }
    }
}
