package dev.plumbline.result;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Clock;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Results in memory, by check and by request path, so that a repeated path needs one lookup only.
 * Backed by {@link ResultStore}.
 */
public final class ResultCache {
    private final Clock clock;
    private final Cache<String, RenderedResult> byKey;
    private final Cache<String, RenderedResult> byPath;

    /**
     * @param memoryBytes the maximum memory use
     */
    public ResultCache(Clock clock, long memoryBytes) {
        this.clock = clock;
        this.byKey = bounded(memoryBytes / 2);
        this.byPath = bounded(memoryBytes / 2);
    }

    private static Cache<String, RenderedResult> bounded(long bytes) {
        return Caffeine.newBuilder()
                .maximumWeight(bytes)
                .weigher((String key, RenderedResult answer) -> key.length() * 2 + answer.weight())
                .executor(Runnable::run)
                .build();
    }

    @Nullable
    RenderedResult find(String key) {
        return unexpired(byKey, key);
    }

    void put(String key, RenderedResult answer) {
        byKey.put(key, answer);
    }

    /** Returns the unexpired result for a request path, or null. */
    public @Nullable RenderedResult findPath(String rawPath) {
        return unexpired(byPath, rawPath);
    }

    /** Caches the result for a validated request path. */
    public void putPath(String rawPath, RenderedResult answer) {
        if (answer.cacheable()) {
            byPath.put(rawPath, answer);
        }
    }

    private @Nullable RenderedResult unexpired(Cache<String, RenderedResult> cache, String key) {
        RenderedResult answer = cache.getIfPresent(key);
        if (answer == null) {
            return null;
        }
        Instant now = clock.instant();
        if (answer.expired(now)) {
            cache.asMap().remove(key, answer);
            return null;
        }
        return answer;
    }
}
