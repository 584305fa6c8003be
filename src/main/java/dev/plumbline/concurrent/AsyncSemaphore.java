package dev.plumbline.concurrent;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous semaphore with a bounded queue, which is served round-robin between clients. Tasks without a client
 * are served in FIFO order. Thread-safe.
 */
public final class AsyncSemaphore {
    /** The task waits until a permit is available. */
    public static final long NO_TIMEOUT = Long.MAX_VALUE;

    private static final String NO_CLIENT = "";

    private final Vertx vertx;
    private final FairQueue<String, Waiter<?>> queue;
    private int availablePermits;

    private record Waiter<T>(String client, @Nullable Context caller, Supplier<Future<T>> task, Promise<T> promise) {}

    /**
     * @param permits maximum number of concurrent tasks
     * @param maxQueued maximum number of queued tasks
     */
    public AsyncSemaphore(Vertx vertx, int permits, int maxQueued) {
        this(vertx, permits, maxQueued, maxQueued);
    }

    /** @param maxQueuedPerClient maximum number of queued tasks of one client */
    public AsyncSemaphore(Vertx vertx, int permits, int maxQueued, int maxQueuedPerClient) {
        this.vertx = vertx;
        this.availablePermits = permits;
        this.queue = new FairQueue<>(maxQueued, maxQueuedPerClient);
    }

    /**
     * Runs a task with a permit, on the context of the caller.
     *
     * @param timeoutMillis maximum time in the queue, or {@link #NO_TIMEOUT}
     * @param onRejected provides the outcome if the queue is full or the timeout expires
     */
    public <T> Future<T> withPermit(long timeoutMillis, Supplier<Future<T>> task, Supplier<Future<T>> onRejected) {
        return withPermit(NO_CLIENT, timeoutMillis, task, onRejected);
    }

    /** As {@link #withPermit(long, Supplier, Supplier)}, for a task of a client. */
    public <T> Future<T> withPermit(
            String client, long timeoutMillis, Supplier<Future<T>> task, Supplier<Future<T>> onRejected) {
        Waiter<T> waiter = null;
        boolean acquired = false;
        synchronized (this) {
            if (availablePermits > 0) {
                availablePermits--;
                acquired = true;
            } else if (timeoutMillis > 0) {
                Waiter<T> queued = new Waiter<>(client, Vertx.currentContext(), task, Promise.promise());
                waiter = queue.offer(client, queued) ? queued : null;
            }
        }
        if (acquired) {
            return ContextFutures.call(task).onComplete(done -> release());
        }
        return waiter == null ? onRejected.get() : await(waiter, timeoutMillis, onRejected);
    }

    private <T> Future<T> await(Waiter<T> waiter, long timeoutMillis, Supplier<Future<T>> onRejected) {
        if (timeoutMillis < NO_TIMEOUT) {
            long timer = vertx.setTimer(timeoutMillis, fired -> timeOut(waiter, onRejected));
            waiter.promise().future().onComplete(done -> vertx.cancelTimer(timer));
        }
        return waiter.promise().future();
    }

    private <T> void timeOut(Waiter<T> waiter, Supplier<Future<T>> onRejected) {
        synchronized (this) {
            if (!queue.remove(waiter.client(), waiter)) {
                return;
            }
        }
        onRejected.get().onComplete(waiter.promise());
    }

    private void release() {
        Waiter<?> next;
        synchronized (this) {
            next = queue.poll();
            if (next == null) {
                availablePermits++;
                return;
            }
        }
        if (next.caller() == null) {
            execute(next);
        } else {
            // in a new task, because tasks that complete synchronously would recurse
            next.caller().runOnContext(ignored -> execute(next));
        }
    }

    private <T> void execute(Waiter<T> waiter) {
        ContextFutures.call(waiter.task()).onComplete(outcome -> {
            release();
            ContextFutures.complete(waiter.promise(), outcome);
        });
    }
}
