package dev.plumbline.concurrent;

import dev.plumbline.trace.Span;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Combines concurrent requests into batches. A request is sent at once if no batch is in flight; otherwise it is queued
 * for the next batch. Thread-safe. Futures complete on the context of the caller.
 *
 * @param <Q> a request
 * @param <A> the response to a request
 */
public final class Batcher<Q, A> {
    private final Vertx vertx;
    private final Limits limits;
    private final LongSupplier nanos;
    private final Supplier<? extends Exception> queueFull;
    private final Function<List<Q>, Future<List<A>>> send;

    /** Context of the timers. */
    private final Context timers;

    private final ArrayDeque<Pending<Q, A>> queue = new ArrayDeque<>();
    private int inFlight;
    private @Nullable Promise<Void> drainPromise;

    private record Pending<Q, A>(Q request, Promise<A> promise, long enqueuedNanos, Span span) {}

    /**
     * @param batch maximum number of requests per batch
     * @param queued maximum number of queued requests
     * @param inFlight maximum number of concurrent batches; 1 preserves the order of requests
     * @param pauseMillis pause after a batch, which makes batches larger; 0 for none
     * @param expiryMillis maximum time in the queue, after which a request fails without being sent; 0 for no limit
     */
    public record Limits(int batch, int queued, int inFlight, long pauseMillis, long expiryMillis) {
        public Limits(int batch, int queued, int inFlight) {
            this(batch, queued, inFlight, 0);
        }

        public Limits(int batch, int queued, int inFlight, long pauseMillis) {
            this(batch, queued, inFlight, pauseMillis, 0);
        }

        /** The same limits with a maximum time in the queue. */
        public Limits expiringAfter(long millis) {
            return new Limits(batch, queued, inFlight, pauseMillis, millis);
        }
    }

    /**
     * @param queueFull creates the failure of a request that is not sent, because the queue is full or it expired
     * @param send executes a batch; returns one response per request in the same order and always completes
     */
    public Batcher(
            Vertx vertx,
            Limits limits,
            Supplier<? extends Exception> queueFull,
            Function<List<Q>, Future<List<A>>> send) {
        this(vertx, limits, queueFull, send, System::nanoTime);
    }

    /** @param nanos clock for the expiry of requests */
    public Batcher(
            Vertx vertx,
            Limits limits,
            Supplier<? extends Exception> queueFull,
            Function<List<Q>, Future<List<A>>> send,
            LongSupplier nanos) {
        this.queueFull = queueFull;
        this.nanos = nanos;
        this.vertx = vertx;
        this.limits = limits;
        this.send = send;
        this.timers = VertxInternals.createContext(vertx);
    }

    /**
     * Submits a request.
     *
     * @return fails with the failure of its batch, or with that of a full queue if the queue is full or the request
     *     expired
     */
    public Future<A> submit(Q request) {
        Promise<A> promise = VertxInternals.contextPromise(vertx);
        Span span = CurrentSpan.get();
        List<Pending<Q, A>> batch;
        synchronized (this) {
            if (queue.size() >= limits.queued) {
                return Future.failedFuture(queueFull.get());
            }
            queue.add(new Pending<>(request, promise, nanos.getAsLong(), span));
            batch = nextBatch();
        }
        send(batch);
        return promise.future();
    }

    public synchronized int queued() {
        return queue.size();
    }

    /** Completes when the queue is empty and no batch is in flight. */
    public synchronized Future<Void> drain() {
        if (queue.isEmpty() && inFlight == 0) {
            return Future.succeededFuture();
        }
        if (drainPromise == null) {
            drainPromise = Promise.promise();
        }
        return drainPromise.future();
    }

    private List<Pending<Q, A>> nextBatch() {
        failExpired();
        if (queue.isEmpty() || inFlight >= limits.inFlight) {
            return List.of();
        }
        inFlight++;
        int size = Math.min(queue.size(), limits.batch);
        List<Pending<Q, A>> batch = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            batch.add(queue.remove());
        }
        return batch;
    }

    private void failExpired() {
        if (limits.expiryMillis == 0) {
            return;
        }
        long oldest = nanos.getAsLong() - TimeUnit.MILLISECONDS.toNanos(limits.expiryMillis);
        while (!queue.isEmpty() && queue.element().enqueuedNanos - oldest < 0) {
            Promise<A> promise = queue.remove().promise;
            // outside of the lock, because the caller can submit the next request at once
            vertx.runOnContext(later -> promise.tryFail(queueFull.get()));
        }
    }

    // a loop instead of recursion, because during an outage every batch fails synchronously
    private void send(List<Pending<Q, A>> first) {
        List<Pending<Q, A>> batch = first;
        while (!batch.isEmpty()) {
            List<Pending<Q, A>> sent = batch;
            Future<List<A>> responses = apply(sent);
            if (!responses.isComplete()) {
                responses.onComplete((result, failure) -> {
                    // the next batch is sent before the responses are distributed
                    sendNextAfterPause();
                    complete(sent, responses);
                });
                return;
            }
            batch = finishBatch();
            complete(sent, responses);
        }
    }

    private void sendNextAfterPause() {
        if (limits.pauseMillis == 0) {
            send(finishBatch());
        } else {
            timers.runOnContext(ignored -> vertx.setTimer(limits.pauseMillis, rested -> {
                send(finishBatch());
                completeDrain();
            }));
        }
    }

    private Future<List<A>> apply(List<Pending<Q, A>> batch) {
        List<Q> requests = new ArrayList<>(batch.size());
        for (Pending<Q, A> waiting : batch) {
            requests.add(waiting.request);
        }
        // the current context often belongs to a request of the previous batch
        Span span = CurrentSpan.ofBatch(batch, Pending::span);
        try {
            return CurrentSpan.trace(span, () -> send.apply(requests));
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    private synchronized List<Pending<Q, A>> finishBatch() {
        inFlight--;
        return nextBatch();
    }

    private void complete(List<Pending<Q, A>> batch, Future<List<A>> responses) {
        for (int i = 0; i < batch.size(); i++) {
            Promise<A> promise = batch.get(i).promise;
            if (responses.succeeded()) {
                promise.complete(responses.result().get(i));
            } else {
                promise.fail(responses.cause());
            }
        }
        completeDrain();
    }

    private void completeDrain() {
        Promise<Void> allDone = null;
        synchronized (this) {
            if (inFlight == 0 && queue.isEmpty()) {
                allDone = drainPromise;
                drainPromise = null;
            }
        }
        if (allDone != null) {
            allDone.complete();
        }
    }
}
