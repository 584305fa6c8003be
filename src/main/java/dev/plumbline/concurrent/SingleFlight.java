package dev.plumbline.concurrent;

import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Single-flight: concurrent calls with the same key share one execution. If the outcome of the execution cannot be
 * shared, the operation of the next caller is executed. Thread-safe. Futures complete on the context of the caller.
 */
public final class SingleFlight<K, V> {
    private final Vertx vertx;
    private final Predicate<V> shareable;
    private final Map<K, Queue<Follower<V>>> inFlight = new HashMap<>();

    private record Follower<V>(Context context, Promise<V> promise, Supplier<Future<V>> operation) {}

    /** @param shareable whether other callers receive this value; failures are always shared */
    public SingleFlight(Vertx vertx, Predicate<V> shareable) {
        this.vertx = vertx;
        this.shareable = shareable;
    }

    /** Executes the operation, or waits for the outcome of an execution in progress. */
    public Future<V> run(K key, Supplier<Future<V>> operation) {
        Follower<V> follower = new Follower<>(vertx.getOrCreateContext(), Promise.promise(), operation);
        synchronized (inFlight) {
            Queue<Follower<V>> followers = inFlight.get(key);
            if (followers != null) {
                followers.add(follower);
                return follower.promise().future();
            }
            inFlight.put(key, new ArrayDeque<>());
        }
        return execute(key, operation);
    }

    private Future<V> execute(K key, Supplier<Future<V>> operation) {
        return ContextFutures.call(operation).onComplete(outcome -> complete(key, outcome));
    }

    private void complete(K key, AsyncResult<V> outcome) {
        Queue<Follower<V>> followers;
        synchronized (inFlight) {
            followers = inFlight.getOrDefault(key, new ArrayDeque<>());
            boolean shared = outcome.failed() || shareable.test(outcome.result());
            Follower<V> next = shared ? null : followers.poll();
            if (next != null) {
                next.context()
                        .runOnContext(ignored -> execute(key, next.operation()).onComplete(next.promise()));
                return;
            }
            inFlight.remove(key);
        }
        followers.forEach(follower ->
                follower.context().runOnContext(ignored -> ContextFutures.complete(follower.promise(), outcome)));
    }
}
