package dev.plumbline.concurrent;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Limits the number of concurrent asynchronous operations. Further operations wait in FIFO order. Thread-safe. */
public final class AsyncSemaphore {
    /** No timeout. */
    public static final long FOREVER = Long.MAX_VALUE;

    private final Vertx vertx;
    private final int maxWaiting;
    private final ArrayDeque<Waiting<?>> waiting = new ArrayDeque<>();
    private int free;

    private record Waiting<T>(@Nullable Context caller, Supplier<Future<T>> work, Promise<T> outcome) {}

    /**
     * @param permits the maximum number of concurrent operations
     * @param maxWaiting the maximum number of waiting operations
     */
    public AsyncSemaphore(Vertx vertx, int permits, int maxWaiting) {
        this.vertx = vertx;
        this.free = permits;
        this.maxWaiting = maxWaiting;
    }

    /**
     * Starts the operation on the caller's context as soon as a permit is available.
     *
     * @param millis the maximum time to wait for a permit; {@link #FOREVER} if earlier operations always end
     * @param late the result if the queue is full or the time has elapsed
     */
    public <T> Future<T> take(long millis, Supplier<Future<T>> work, Supplier<Future<T>> late) {
        Waiting<T> entry = new Waiting<>(Vertx.currentContext(), work, Promise.promise());
        boolean full = false;
        boolean now = false;
        synchronized (this) {
            if (free > 0) {
                free--;
                now = true;
            } else if (waiting.size() >= maxWaiting || millis <= 0) {
                full = true;
            } else {
                waiting.add(entry);
            }
        }
        if (full) {
            return late.get();
        }
        if (now) {
            return begin(work).onComplete(done -> next());
        }
        if (millis < FOREVER) {
            long timer = vertx.setTimer(millis, fired -> expire(entry, late));
            entry.outcome().future().onComplete(done -> vertx.cancelTimer(timer));
        }
        return entry.outcome().future();
    }

    /** Calls the supplier. An exception becomes a failed future. */
    public static <T> Future<T> begin(Supplier<Future<T>> work) {
        try {
            return work.get();
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    private <T> void expire(Waiting<T> expired, Supplier<Future<T>> late) {
        synchronized (this) {
            if (!waiting.remove(expired)) {
                return;
            }
        }
        late.get().onComplete(expired.outcome());
    }

    private void next() {
        Waiting<?> first;
        synchronized (this) {
            first = waiting.poll();
            if (first == null) {
                free++;
                return;
            }
        }
        if (first.caller() == null) {
            start(first);
        } else {
            // asynchronously, as operations that complete immediately would recurse
            first.caller().runOnContext(now -> start(first));
        }
    }

    private <T> void start(Waiting<T> first) {
        begin(first.work()).onComplete(outcome -> {
            next();
            ContextFutures.tell(first.outcome(), outcome);
        });
    }
}
