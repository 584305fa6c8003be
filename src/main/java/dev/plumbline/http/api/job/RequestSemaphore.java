package dev.plumbline.http.api.job;

import dev.plumbline.http.problem.Problem;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Supplier;

/**
 * So many may do something at once; some more wait until one of them has done, in their order and
 * not for long. Thread-safe.
 */
final class RequestSemaphore {
    private final int atOnce;
    private final int mostWaiting;
    private final long patienceMs;
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private int taken;

    /** Why there is no turn: too many wait, or this one has waited too long. */
    static final class QueueFullException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        QueueFullException() {
            super("no turn", null, false, false);
        }
    }

    private record Waiting(Context context, Promise<Void> turn) {}

    /**
     * @param patienceMs how long anybody waits, at least 1
     */
    RequestSemaphore(int atOnce, int mostWaiting, long patienceMs) {
        this.atOnce = atOnce;
        this.mostWaiting = mostWaiting;
        this.patienceMs = patienceMs;
    }

    /**
     * Ends on the caller's context when it is its turn, which is to be {@link #over} then; or fails
     * with a {@link QueueFullException}.
     */
    Future<Void> take(Vertx vertx) {
        Waiting mine = new Waiting(vertx.getOrCreateContext(), Promise.promise());
        synchronized (this) {
            if (taken < atOnce) {
                taken++;
                return Future.succeededFuture();
            }
            if (waiting.size() >= mostWaiting) {
                return Future.failedFuture(new QueueFullException());
            }
            waiting.add(mine);
        }
        long timer = vertx.setTimer(patienceMs, late -> giveUp(mine));
        return mine.turn().future().onComplete(done -> vertx.cancelTimer(timer));
    }

    private void giveUp(Waiting one) {
        boolean still;
        synchronized (this) {
            still = waiting.remove(one);
        }
        if (still) {
            one.turn().fail(new QueueFullException());
        }
    }

    /**
     * Does something when it is its turn, on the caller's context.
     *
     * @param full told to whoever gets no turn
     */
    <T> Future<T> during(Vertx vertx, String full, Supplier<Future<T>> work) {
        return take(vertx)
                .recover(none -> Future.failedFuture(new JobClient.Refusal(Problem.unavailable("overloaded", full, 1))))
                .compose(turn -> work.get().onComplete(done -> over()));
    }

    /** Passes the turn on. */
    void over() {
        Waiting next;
        synchronized (this) {
            next = waiting.poll();
            if (next == null) {
                taken--;
            }
        }
        if (next != null) {
            next.context().runOnContext(now -> next.turn().complete());
        }
    }
}
