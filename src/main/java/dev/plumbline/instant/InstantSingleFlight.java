package dev.plumbline.instant;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * Single-flight: concurrent callers with the same key share one run. The first caller starts the
 * run. If the outcome applies to that caller only, the next caller starts another run. Futures
 * complete on the event loops of their callers.
 */
final class InstantSingleFlight {
    private final Vertx vertx;
    private final Map<String, Queue<Caller>> inFlight = new HashMap<>();

    InstantSingleFlight(Vertx vertx) {
        this.vertx = vertx;
    }

    /** The run of one caller. */
    interface Attempt {
        Future<InstantOutcome> lead();
    }

    private record Caller(Context context, Promise<InstantOutcome> promise, Attempt attempt) {
        void answer(InstantOutcome outcome) {
            context.runOnContext(ignored -> promise.complete(outcome));
        }
    }

    /** Joins the run for {@code key}, or starts it. */
    Future<InstantOutcome> join(String key, Attempt attempt) {
        Caller caller = new Caller(vertx.getOrCreateContext(), Promise.promise(), attempt);
        synchronized (inFlight) {
            Queue<Caller> followers = inFlight.get(key);
            if (followers != null) {
                followers.add(caller);
                return caller.promise().future();
            }
            inFlight.put(key, new ArrayDeque<>());
        }
        return lead(key, attempt);
    }

    private Future<InstantOutcome> lead(String key, Attempt attempt) {
        return attempt.lead()
                .otherwise(fault -> new InstantOutcome.Unavailable("The check could not be run. Retry shortly."))
                .onSuccess(outcome -> land(key, outcome));
    }

    private void land(String key, InstantOutcome outcome) {
        Queue<Caller> followers;
        synchronized (inFlight) {
            if (isCallerSpecific(outcome)) {
                Queue<Caller> waiting = inFlight.get(key);
                Caller next = waiting == null ? null : waiting.poll();
                if (next != null) {
                    next.context()
                            .runOnContext(ignored -> lead(key, next.attempt()).onComplete(next.promise()));
                    return;
                }
            }
            followers = inFlight.remove(key);
        }
        if (followers == null) {
            return;
        }
        InstantOutcome shared = outcome instanceof InstantOutcome.Answered answered
                ? new InstantOutcome.Answered(answered.answer(), false, null)
                : outcome;
        followers.forEach(follower -> follower.answer(shared));
    }

    private static boolean isCallerSpecific(InstantOutcome outcome) {
        return outcome instanceof InstantOutcome.OverQuota || outcome instanceof InstantOutcome.Loop;
    }
}
