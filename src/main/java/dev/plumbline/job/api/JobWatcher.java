package dev.plumbline.job.api;

import dev.plumbline.concurrent.SingleFlight;
import dev.plumbline.job.store.JobStateStore;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Long polling of jobs. A watched job is read once per second, independent of the number of waiters. Not thread-safe:
 * used on one event loop.
 */
final class JobWatcher {
    private static final long PERIOD_MS = 1_000;

    private final Vertx vertx;
    private final JobStateStore store;
    private final Map<String, WatchedJob> jobs = new HashMap<>();
    private final SingleFlight<String, JobStateStore.@Nullable OwnedJob> reads;

    private record Waiter(
            Predicate<JobStateStore.OwnedJob> condition, Promise<JobStateStore.@Nullable OwnedJob> promise) {}

    /** A job with waiters and its latest state. */
    private static final class WatchedJob {
        private final List<Waiter> waiters = new ArrayList<>();
        private JobStateStore.OwnedJob latest;

        WatchedJob(JobStateStore.OwnedJob latest) {
            this.latest = latest;
        }
    }

    JobWatcher(Vertx vertx, JobStateStore store) {
        this.vertx = vertx;
        this.store = store;
        this.reads = new SingleFlight<>(vertx, job -> true);
    }

    /**
     * Waits until a job meets a condition.
     *
     * @param waitMs timeout in milliseconds, after which the latest state is returned
     * @return null if there is no such job; fails with {@code DatabaseUnavailableException}
     */
    Future<JobStateStore.@Nullable OwnedJob> await(
            String token, Predicate<JobStateStore.OwnedJob> condition, long waitMs) {
        WatchedJob watched = jobs.get(token);
        Future<JobStateStore.@Nullable OwnedJob> state =
                watched == null ? reads.run(token, () -> store.find(token)) : Future.succeededFuture(watched.latest);
        return state.compose(job -> job == null || waitMs <= 0 || condition.test(job)
                ? Future.succeededFuture(job)
                : enqueue(token, job, condition, waitMs));
    }

    private Future<JobStateStore.@Nullable OwnedJob> enqueue(
            String token, JobStateStore.OwnedJob latest, Predicate<JobStateStore.OwnedJob> condition, long waitMs) {
        WatchedJob job = jobs.computeIfAbsent(token, first -> {
            vertx.setTimer(PERIOD_MS, fired -> poll(token));
            return new WatchedJob(latest);
        });
        Waiter waiter = new Waiter(condition, Promise.promise());
        job.waiters.add(waiter);
        long timer = vertx.setTimer(waitMs, fired -> {
            job.waiters.remove(waiter);
            waiter.promise.tryComplete(job.latest);
        });
        return waiter.promise.future().onComplete(done -> vertx.cancelTimer(timer));
    }

    private void poll(String token) {
        WatchedJob job = jobs.get(token);
        if (job == null || job.waiters.isEmpty()) {
            jobs.remove(token);
            return;
        }
        store.find(token).onComplete((state, failure) -> {
            if (state != null) {
                job.latest = state;
            }
            complete(job, state, failure);
            vertx.setTimer(PERIOD_MS, fired -> poll(token));
        });
    }

    private static void complete(WatchedJob job, JobStateStore.@Nullable OwnedJob state, @Nullable Throwable failure) {
        List<Waiter> done = job.waiters.stream()
                .filter(waiter -> failure != null || state == null || waiter.condition.test(state))
                .toList();
        // removed before completion, because a completed waiter can wait again at once
        job.waiters.removeAll(done);
        for (Waiter waiter : done) {
            if (failure != null) {
                waiter.promise.tryFail(failure);
            } else {
                waiter.promise.tryComplete(state);
            }
        }
    }

    /** The number of watched jobs. */
    int size() {
        return jobs.size();
    }
}
