package dev.plumbline.concurrent;

import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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
    private final Predicate<V> shareableWithClient;
    private final Map<K, Queue<Follower<V>>> inFlight = new HashMap<>();

    private record Follower<V>(Context context, String client, Promise<V> promise, Supplier<Future<V>> operation) {}

    /** @param shareable whether other callers receive this value; failures are always shared */
    public SingleFlight(Vertx vertx, Predicate<V> shareable) {
        this(vertx, shareable, value -> false);
    }

    /**
     * @param shareable whether other callers receive this value; failures are always shared
     * @param shareableWithClient whether callers for the same client receive this value, so that the requests of one
     *     client do not delay another client one after the other
     */
    public SingleFlight(Vertx vertx, Predicate<V> shareable, Predicate<V> shareableWithClient) {
        this.vertx = vertx;
        this.shareable = shareable;
        this.shareableWithClient = shareableWithClient;
    }

    /** Executes the operation, or waits for the outcome of an execution in progress. */
    public Future<V> run(K key, Supplier<Future<V>> operation) {
        return run(key, "", operation);
    }

    /** As {@link #run(Object, Supplier)}, for a client. */
    public Future<V> run(K key, String client, Supplier<Future<V>> operation) {
        Follower<V> follower = new Follower<>(vertx.getOrCreateContext(), client, Promise.promise(), operation);
        synchronized (inFlight) {
            Queue<Follower<V>> followers = inFlight.get(key);
            if (followers != null) {
                followers.add(follower);
                return follower.promise().future();
            }
            inFlight.put(key, new ArrayDeque<>());
        }
        return execute(key, client, operation);
    }

    private Future<V> execute(K key, String client, Supplier<Future<V>> operation) {
        return ContextFutures.call(operation).onComplete(outcome -> complete(key, client, outcome));
    }

    private void complete(K key, String client, AsyncResult<V> outcome) {
        List<Follower<V>> served = new ArrayList<>();
        Follower<V> next = null;
        synchronized (inFlight) {
            Queue<Follower<V>> followers = inFlight.getOrDefault(key, new ArrayDeque<>());
            if (outcome.failed() || shareable.test(outcome.result())) {
                served.addAll(followers);
            } else {
                if (shareableWithClient.test(outcome.result())) {
                    followers.removeIf(follower -> follower.client().equals(client) && served.add(follower));
                }
                next = followers.poll();
            }
            if (next == null) {
                inFlight.remove(key);
            }
        }
        served.forEach(follower ->
                follower.context().runOnContext(ignored -> ContextFutures.complete(follower.promise(), outcome)));
        if (next != null) {
            Follower<V> leader = next;
            leader.context().runOnContext(ignored -> execute(key, leader.client(), leader.operation())
                    .onComplete(leader.promise()));
        }
    }
}
