package dev.plumbline.concurrent;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An asynchronous semaphore with a bounded FIFO queue. Thread-safe. */
public final class AsyncSemaphore {
    /** The task waits until a permit is available. */
    public static final long NO_TIMEOUT = Long.MAX_VALUE;

    private final Vertx vertx;
    private final int maxQueued;
    private final ArrayDeque<Waiter<?>> queue = new ArrayDeque<>();
    private int availablePermits;

    private record Waiter<T>(@Nullable Context caller, Supplier<Future<T>> task, Promise<T> promise) {}

    /**
     * @param permits maximum number of concurrent tasks
     * @param maxQueued maximum number of queued tasks
     */
    public AsyncSemaphore(Vertx vertx, int permits, int maxQueued) {
        this.vertx = vertx;
        this.availablePermits = permits;
        this.maxQueued = maxQueued;
    }

    /**
     * Runs a task with a permit, on the context of the caller.
     *
     * @param timeoutMillis maximum time in the queue, or {@link #NO_TIMEOUT}
     * @param onRejected provides the outcome if the queue is full or the timeout expires
     */
    public <T> Future<T> withPermit(long timeoutMillis, Supplier<Future<T>> task, Supplier<Future<T>> onRejected) {
        Waiter<T> waiter = null;
        boolean acquired = false;
        synchronized (this) {
            if (availablePermits > 0) {
                availablePermits--;
                acquired = true;
            } else if (queue.size() < maxQueued && timeoutMillis > 0) {
                waiter = new Waiter<>(Vertx.currentContext(), task, Promise.promise());
                queue.add(waiter);
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
            if (!queue.remove(waiter)) {
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
