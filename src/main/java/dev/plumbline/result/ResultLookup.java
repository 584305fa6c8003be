package dev.plumbline.result;

import dev.plumbline.check.CheckResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The cached results: in memory and in the database shared by all nodes. */
public final class ResultLookup {
    private final ResultCache cache;
    private final ResultStore store;
    private final Duration lifetime;

    /**
     * The cache entry of the result of a line.
     *
     * @param storedKey the key in the database
     */
    public record SharedLine(String storedKey, Instant checkedAt, Instant expiresAt) {}

    /**
     * @param lifetime how long a result is cached
     */
    public ResultLookup(ResultCache cache, ResultStore store, Duration lifetime) {
        this.cache = cache;
        this.store = store;
        this.lifetime = lifetime;
    }

    /** Returns the result from memory, or null. */
    public @Nullable RenderedResult remembered(ResultKey key) {
        return cache.find(key.text());
    }

    /**
     * Returns the result from the database, or null. Adds it to memory.
     *
     * @return fails with {@code DatabaseUnavailableException}
     */
    public Future<@Nullable RenderedResult> stored(ResultKey key) {
        return store.find(key.stored()).map(found -> {
            RenderedResult answer = answer(found);
            if (answer != null) {
                cache.put(key.text(), answer);
            }
            return answer;
        });
    }

    /**
     * Returns the cached results in order, null for missing ones. Does not add them to memory.
     *
     * @return fails with {@code DatabaseUnavailableException}
     */
    public Future<List<@Nullable RenderedResult>> find(List<ResultKey> keys) {
        List<@Nullable RenderedResult> answers = new ArrayList<>(keys.size());
        List<ResultKey> unknown = new ArrayList<>();
        for (ResultKey key : keys) {
            RenderedResult remembered = remembered(key);
            answers.add(remembered);
            if (remembered == null) {
                unknown.add(key);
            }
        }
        if (unknown.isEmpty()) {
            return Future.succeededFuture(answers);
        }
        return store.find(unknown.stream().map(ResultKey::stored).toList()).map(found -> {
            int next = 0;
            for (int i = 0; i < answers.size(); i++) {
                if (answers.get(i) == null) {
                    answers.set(i, answer(found.get(next)));
                    next++;
                }
            }
            return answers;
        });
    }

    /** Caches a new result, if it is cacheable. */
    public RenderedResult keep(ResultKey key, CheckResult result) {
        RenderedResult answer = RenderedResult.of(result, lifetime);
        if (answer.cacheable()) {
            cache.put(key.text(), answer);
            store.store(new ResultStore.Entry(
                    key.stored(), Buffer.buffer(answer.result()), answer.checkedAt(), answer.expiresAt()));
        }
        return answer;
    }

    /**
     * Returns the cache entry for the result of a line; null if the result is not cacheable. Not
     * added to memory, because one job would evict the results of instant checks.
     */
    public @Nullable SharedLine shareLine(ResultKey key, CheckResult result) {
        return result.cacheable()
                ? new SharedLine(
                        key.stored(), result.checkedAt(), result.checkedAt().plus(lifetime))
                : null;
    }

    private static @Nullable RenderedResult answer(ResultStore.@Nullable Stored found) {
        if (found == null) {
            return null;
        }
        byte[] body = found.body().getBytes();
        return found.ofLine()
                ? RenderedResult.ofLine(body, found.checkedAt(), found.expiresAt())
                : RenderedResult.stored(body, found.checkedAt(), found.expiresAt());
    }
}
