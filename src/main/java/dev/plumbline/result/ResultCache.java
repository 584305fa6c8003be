package dev.plumbline.result;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Clock;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Cached results in memory: by check and by raw request path. */
public final class ResultCache {
    private final Clock clock;
    private final Cache<String, RenderedResult> byKey;
    private final Cache<String, RenderedResult> byPath;

    /** @param memoryBytes the memory limit of both caches together */
    public ResultCache(Clock clock, long memoryBytes) {
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

    @Nullable
    RenderedResult find(String key) {
        return findUnexpired(byKey, key);
    }

    void put(String key, RenderedResult result) {
        byKey.put(key, result);
    }

    /** The unexpired result of a raw request path, or null. */
    public @Nullable RenderedResult findPath(String rawPath) {
        return findUnexpired(byPath, rawPath);
    }

    /** Adds the result of a valid raw request path if it is cacheable. */
    public void putPath(String rawPath, RenderedResult result) {
        if (result.cacheable()) {
            byPath.put(rawPath, result);
        }
    }

    private @Nullable RenderedResult findUnexpired(Cache<String, RenderedResult> cache, String key) {
        RenderedResult result = cache.getIfPresent(key);
        if (result == null) {
            return null;
        }
        Instant now = clock.instant();
        if (result.expired(now)) {
            cache.asMap().remove(key, result);
            return null;
        }
        return result;
    }
}
