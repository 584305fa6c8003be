package dev.plumbline.concurrent;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Lets a few do their work at once; others wait for their turn, not longer than they may. */
public final class AsyncSemaphore {
    /** To wait for as long as it takes. */
    public static final long FOREVER = Long.MAX_VALUE;

    private final Vertx vertx;
    private final int mostWaiting;
    private final ArrayDeque<Waiting<?>> waiting = new ArrayDeque<>();
    private int free;

    private record Waiting<T>(@Nullable Context caller, Supplier<Future<T>> work, Promise<T> outcome) {}

    /**
     * @param atOnce how many work at once
     * @param mostWaiting how many may wait
     */
    public AsyncSemaphore(Vertx vertx, int atOnce, int mostWaiting) {
        this.vertx = vertx;
        this.free = atOnce;
        this.mostWaiting = mostWaiting;
    }

    /**
     * Does the work when its turn has come, on the caller's context.
     *
     * @param millis how long to wait for it; {@link #FOREVER} where all work before it ends in time
     * @param late tells what comes of it when the turn did not come in time
     */
    public <T> Future<T> take(long millis, Supplier<Future<T>> work, Supplier<Future<T>> late) {
        Waiting<T> mine = new Waiting<>(Vertx.currentContext(), work, Promise.promise());
        boolean refused = false;
        boolean now = false;
        synchronized (this) {
            if (free > 0) {
                free--;
                now = true;
            } else if (waiting.size() >= mostWaiting || millis <= 0) {
                refused = true;
            } else {
                waiting.add(mine);
            }
        }
        if (refused) {
            return late.get();
        }
        if (now) {
            return begin(work).onComplete(done -> next());
        }
        if (millis < FOREVER) {
            long timer = vertx.setTimer(millis, fired -> giveUp(mine, late));
            mine.outcome().future().onComplete(told -> vertx.cancelTimer(timer));
        }
        return mine.outcome().future();
    }

    /** Begins work; what it throws is a failure like any other. */
    public static <T> Future<T> begin(Supplier<Future<T>> work) {
        try {
            return work.get();
        } catch (RuntimeException thrown) {
            return Future.failedFuture(thrown);
        }
    }

    private <T> void giveUp(Waiting<T> tired, Supplier<Future<T>> late) {
        synchronized (this) {
            if (!waiting.remove(tired)) {
                return;
            }
        }
        late.get().onComplete(tired.outcome());
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
            // Not at once, for work that ends where it begins would heap up one turn upon the other.
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
