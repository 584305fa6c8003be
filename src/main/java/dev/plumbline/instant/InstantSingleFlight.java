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
 * Lets callers who want the same thing at once share one run. The first leads; when its run was
 * refused to it alone, the next leads. Each caller is answered on its own event loop.
 */
final class InstantSingleFlight {
    private final Vertx vertx;
    private final Map<String, Queue<Caller>> underWay = new HashMap<>();

    InstantSingleFlight(Vertx vertx) {
        this.vertx = vertx;
    }

    /** How one caller gets at the thing, when it is its turn to lead. */
    interface Attempt {
        Future<InstantOutcome> lead();
    }

    private record Caller(Context context, Promise<InstantOutcome> promise, Attempt attempt) {
        void answer(InstantOutcome outcome) {
            context.runOnContext(ignored -> promise.complete(outcome));
        }
    }

    /** Joins those who want {@code key}, or leads. */
    Future<InstantOutcome> join(String key, Attempt attempt) {
        Caller caller = new Caller(vertx.getOrCreateContext(), Promise.promise(), attempt);
        synchronized (underWay) {
            Queue<Caller> followers = underWay.get(key);
            if (followers != null) {
                followers.add(caller);
                return caller.promise().future();
            }
            underWay.put(key, new ArrayDeque<>());
        }
        return lead(key, attempt);
    }

    private Future<InstantOutcome> lead(String key, Attempt attempt) {
        return attempt.lead()
                .otherwise(fault -> new InstantOutcome.Unavailable("The check could not be run just now."))
                .onSuccess(outcome -> land(key, outcome));
    }

    private void land(String key, InstantOutcome outcome) {
        Queue<Caller> followers;
        synchronized (underWay) {
            if (isForOneOnly(outcome)) {
                Queue<Caller> waiting = underWay.get(key);
                Caller next = waiting == null ? null : waiting.poll();
                if (next != null) {
                    next.context()
                            .runOnContext(ignored -> lead(key, next.attempt()).onComplete(next.promise()));
                    return;
                }
            }
            followers = underWay.remove(key);
        }
        if (followers == null) {
            return;
        }
        InstantOutcome shared = outcome instanceof InstantOutcome.Answered answered
                ? new InstantOutcome.Answered(answered.answer(), false, null)
                : outcome;
        followers.forEach(follower -> follower.answer(shared));
    }

    private static boolean isForOneOnly(InstantOutcome outcome) {
        return outcome instanceof InstantOutcome.OverQuota || outcome instanceof InstantOutcome.Loop;
    }
}
