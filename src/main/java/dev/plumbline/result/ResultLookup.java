package dev.plumbline.result;

import dev.plumbline.check.CheckResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Results young enough to be told again: in memory, and in the database for all nodes. */
public final class ResultLookup {
    private final ResultCache cache;
    private final ResultStore store;
    private final Duration lifetime;

    /**
     * The result of a line as it is to be found by others.
     *
     * @param storedKey what it is called in the database
     */
    public record SharedLine(String storedKey, Instant checkedAt, Instant expiresAt) {}

    /**
     * @param lifetime how long a result is told again
     */
    public ResultLookup(ResultCache cache, ResultStore store, Duration lifetime) {
        this.cache = cache;
        this.store = store;
        this.lifetime = lifetime;
    }

    /** What memory holds, or null. */
    public @Nullable RenderedResult remembered(ResultKey key) {
        return cache.find(key.text());
    }

    /**
     * What the database holds, or null; what is found is remembered.
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
     * What is known of each, in their order; null for what is not. Nothing of it is remembered.
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

    /** Makes a new result known to everybody, if it may be told again. */
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
     * How a new result of a line is found by others once it is written; null if it may not be told
     * again. Memory does not take it: one job would push out all that people ask for.
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
