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
import java.util.concurrent.TimeoutException;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Single-flight: concurrent calls with the same key share one execution. If the outcome of the execution cannot be
 * shared, the operation of the next caller is executed. Thread-safe. Futures complete on the context of the caller.
 */
public final class SingleFlight<K, V> {
    private static final Limits UNLIMITED = new Limits(Long.MAX_VALUE, Long.MAX_VALUE, end -> true);

    private final Vertx vertx;
    private final Predicate<AsyncResult<V>> shareable;
    private final Predicate<V> shareableWithClient;
    private final Predicate<V> shareableLate;
    private final Map<K, Execution<V>> inFlight = new HashMap<>();

    /**
     * The limits of a caller.
     *
     * @param timeoutMillis the maximum time to wait for the execution of another caller, after which the call fails
     *     with {@link TimeoutException}; {@link Long#MAX_VALUE} if it is not limited
     * @param endNanos the latest end of the caller's own execution, by {@link System#nanoTime}
     * @param joins whether the caller joins an execution with this latest end. If not, its own execution replaces that
     *     one for later callers
     */
    public record Limits(long timeoutMillis, long endNanos, LongPredicate joins) {}

    private record Follower<V>(
            Context context, String client, Limits limits, Promise<V> promise, Supplier<Future<V>> operation) {}

    private record Execution<V>(String client, long startNanos, long endNanos, Queue<Follower<V>> followers) {
        Execution(String client, long endNanos) {
            this(client, System.nanoTime(), endNanos, new ArrayDeque<>());
        }
    }

    /** @param shareable whether other callers receive this outcome */
    public SingleFlight(Vertx vertx, Predicate<AsyncResult<V>> shareable) {
        this(vertx, shareable, value -> false, value -> false);
    }

    /**
     * @param shareable whether other callers receive this outcome
     * @param shareableWithClient whether callers for the same client receive this value, so that the requests of one
     *     client do not delay another client one after the other
     */
    public SingleFlight(Vertx vertx, Predicate<AsyncResult<V>> shareable, Predicate<V> shareableWithClient) {
        this(vertx, shareable, shareableWithClient, value -> false);
    }

    private SingleFlight(
            Vertx vertx,
            Predicate<AsyncResult<V>> shareable,
            Predicate<V> shareableWithClient,
            Predicate<V> shareableLate) {
        this.vertx = vertx;
        this.shareable = shareable;
        this.shareableWithClient = shareableWithClient;
        this.shareableLate = shareableLate;
    }

    /**
     * For callers with {@link Limits}.
     *
     * @param shareable whether other callers receive this outcome
     * @param shareableLate whether callers receive this value, for example a timeout, whose own execution would have
     *     less time than the one with this value took
     */
    public static <K, V> SingleFlight<K, V> withLimits(
            Vertx vertx, Predicate<AsyncResult<V>> shareable, Predicate<V> shareableLate) {
        return new SingleFlight<>(vertx, shareable, value -> false, shareableLate);
    }

    /** Executes the operation, or waits for the outcome of an execution in progress. */
    public Future<V> run(K key, Supplier<Future<V>> operation) {
        return run(key, "", UNLIMITED, operation);
    }

    /** As {@link #run(Object, Supplier)}, for a client. */
    public Future<V> run(K key, String client, Supplier<Future<V>> operation) {
        return run(key, client, UNLIMITED, operation);
    }

    /** As {@link #run(Object, Supplier)}, for a caller with a deadline. */
    public Future<V> run(K key, Limits limits, Supplier<Future<V>> operation) {
        return run(key, "", limits, operation);
    }

    private Future<V> run(K key, String client, Limits limits, Supplier<Future<V>> operation) {
        Execution<V> own;
        synchronized (inFlight) {
            Execution<V> running = inFlight.get(key);
            if (running != null && limits.joins.test(running.endNanos)) {
                Follower<V> follower =
                        new Follower<>(vertx.getOrCreateContext(), client, limits, promise(limits), operation);
                running.followers.add(follower);
                return follower.promise.future();
            }
            own = new Execution<>(client, limits.endNanos);
            inFlight.put(key, own);
        }
        return execute(key, own, operation);
    }

    private Promise<V> promise(Limits limits) {
        return limits.timeoutMillis == Long.MAX_VALUE
                ? Promise.promise()
                : ContextFutures.promise(
                        vertx,
                        limits.timeoutMillis,
                        waiting -> waiting.tryFail(new TimeoutException("deadline reached")));
    }

    private Future<V> execute(K key, Execution<V> execution, Supplier<Future<V>> operation) {
        return ContextFutures.call(operation).onComplete(outcome -> complete(key, execution, outcome));
    }

    private void complete(K key, Execution<V> execution, AsyncResult<V> outcome) {
        List<Follower<V>> served = new ArrayList<>();
        List<Follower<V>> separate = new ArrayList<>();
        Follower<V> next = null;
        Execution<V> successor = null;
        synchronized (inFlight) {
            Queue<Follower<V>> followers = execution.followers;
            if (shareable.test(outcome)) {
                served.addAll(followers);
            } else {
                if (outcome.succeeded() && shareableWithClient.test(outcome.result())) {
                    followers.removeIf(follower -> follower.client.equals(execution.client) && served.add(follower));
                }
                if (outcome.succeeded() && shareableLate.test(outcome.result())) {
                    long now = System.nanoTime();
                    long duration = now - execution.startNanos;
                    followers.removeIf(follower -> follower.limits.endNanos - now < duration && served.add(follower));
                }
                followers.removeIf(follower -> follower.promise.future().isComplete());
                next = followers.poll();
            }
            if (next != null) {
                successor = new Execution<>(next.client, next.limits.endNanos);
                for (Follower<V> follower : followers) {
                    (follower.limits.joins.test(successor.endNanos) ? successor.followers : separate).add(follower);
                }
            }
            if (inFlight.get(key) == execution) {
                if (successor == null) {
                    inFlight.remove(key);
                } else {
                    inFlight.put(key, successor);
                }
            }
        }
        served.forEach(follower ->
                follower.context.runOnContext(ignored -> ContextFutures.complete(follower.promise, outcome)));
        if (next != null && successor != null) {
            Follower<V> leader = next;
            Execution<V> following = successor;
            start(leader, () -> execute(key, following, leader.operation));
        }
        separate.forEach(
                follower -> start(follower, () -> run(key, follower.client, follower.limits, follower.operation)));
    }

    /** Executes an operation on the context of a follower and completes its promise. */
    private void start(Follower<V> follower, Supplier<Future<V>> operation) {
        follower.context.runOnContext(
                ignored -> operation.get().onComplete(outcome -> ContextFutures.complete(follower.promise, outcome)));
    }
}
