package dev.plumbline.result;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Clock;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Answers in memory: by what was asked, and by the very path that asked it, so that a path asked
 * again costs one look-up and nothing else. Postgres holds the truth, see {@link ResultStore}.
 */
public final class ResultCache {
    private final Clock clock;
    private final Cache<String, RenderedResult> byKey;
    private final Cache<String, RenderedResult> byPath;

    /**
     * @param memoryBytes what both together may hold
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

    /** The answer that this raw path got before, while it may still be given. */
    public @Nullable RenderedResult findPath(String rawPath) {
        return unexpired(byPath, rawPath);
    }

    /** Remembers that this raw path, which was found valid, has this answer. */
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
