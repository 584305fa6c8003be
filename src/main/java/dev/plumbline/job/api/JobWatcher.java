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
 * Long polling of jobs. A watched job is read once per second, independent of the number of waiters, and at once when a
 * node reports that it has changed it. Not thread-safe: used on one event loop.
 */
final class JobWatcher {
    private static final long PERIOD_MS = 1_000;

    private final Vertx vertx;
    private final JobStateStore store;
    private final long periodMs;
    private final Map<String, WatchedJob> jobs = new HashMap<>();
    private final SingleFlight<String, JobRead> reads;
    private long changes;

    private record Waiter(
            Predicate<JobStateStore.OwnedJob> condition, Promise<JobStateStore.@Nullable OwnedJob> promise) {}

    /**
     * The first read of a job.
     *
     * @param job null if the job does not exist
     * @param changes number of changes before the read
     */
    private record JobRead(JobStateStore.@Nullable OwnedJob job, long changes) {}

    /** A job with waiters and its latest state. */
    private static final class WatchedJob {
        private final List<Waiter> waiters = new ArrayList<>();
        private JobStateStore.OwnedJob latest;
        private boolean reading;
        private boolean stale;

        WatchedJob(JobStateStore.OwnedJob latest) {
            this.latest = latest;
        }
    }

    JobWatcher(Vertx vertx, JobStateStore store) {
        this(vertx, store, PERIOD_MS);
    }

    JobWatcher(Vertx vertx, JobStateStore store, long periodMs) {
        this.vertx = vertx;
        this.store = store;
        this.periodMs = periodMs;
        this.reads = new SingleFlight<>(vertx, outcome -> true);
    }

    /**
     * Waits until a job meets a condition.
     *
     * @param waitMs timeout in milliseconds, after which the latest state is returned
     * @return null if the job does not exist; fails with {@code DatabaseUnavailableException}
     */
    Future<JobStateStore.@Nullable OwnedJob> await(
            String token, Predicate<JobStateStore.OwnedJob> condition, long waitMs) {
        WatchedJob watched = jobs.get(token);
        Future<JobRead> read = watched == null
                ? reads.run(token, () -> read(token))
                : Future.succeededFuture(new JobRead(watched.latest, changes));
        return read.compose(found -> {
            JobStateStore.OwnedJob job = found.job;
            return job == null || waitMs <= 0 || condition.test(job)
                    ? Future.succeededFuture(job)
                    : enqueue(token, job, found.changes, condition, waitMs);
        });
    }

    private Future<JobRead> read(String token) {
        long changesBefore = changes;
        return store.find(token).map(job -> new JobRead(job, changesBefore));
    }

    private Future<JobStateStore.@Nullable OwnedJob> enqueue(
            String token,
            JobStateStore.OwnedJob latest,
            long changesBefore,
            Predicate<JobStateStore.OwnedJob> condition,
            long waitMs) {
        WatchedJob job = jobs.computeIfAbsent(token, first -> {
            vertx.setTimer(periodMs, fired -> poll(token));
            return new WatchedJob(latest);
        });
        if (changesBefore != changes) {
            refresh(token, job);
        }
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
        refresh(token, job);
        vertx.setTimer(periodMs, fired -> poll(token));
    }

    /** Reads a job that a node has changed, if it is watched. */
    void onChange(long jobId) {
        changes++;
        jobs.forEach((token, job) -> {
            if (job.latest.head().id() == jobId) {
                refresh(token, job);
            }
        });
    }

    private void refresh(String token, WatchedJob job) {
        if (job.reading) {
            job.stale = true;
            return;
        }
        job.reading = true;
        job.stale = false;
        store.find(token).onComplete((state, failure) -> {
            job.reading = false;
            if (state != null) {
                job.latest = state;
            }
            complete(job, state, failure);
            if (job.stale) {
                refresh(token, job);
            }
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

    int size() {
        return jobs.size();
    }
}
