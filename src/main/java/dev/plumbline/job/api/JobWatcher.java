package dev.plumbline.job.api;

import dev.plumbline.job.store.JobStateStore;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for jobs to change. However many wait for a job, it is looked up once a second.
 * Used on one event loop.
 */
final class JobWatcher {
    private static final long PERIOD_MS = 1_000;

    private final Vertx vertx;
    private final JobStateStore store;
    private final Map<String, Watched> jobs = new HashMap<>();
    private final Map<String, Future<JobStateStore.@Nullable Found>> firstLooks = new HashMap<>();

    private record Waiter(Predicate<JobStateStore.Found> enough, Promise<JobStateStore.@Nullable Found> answer) {}

    /** A job that somebody waits for, as it was seen last. */
    private static final class Watched {
        private final List<Waiter> waiters = new ArrayList<>();
        private JobStateStore.Found seen;

        Watched(JobStateStore.Found seen) {
            this.seen = seen;
        }
    }

    JobWatcher(Vertx vertx, JobStateStore store) {
        this.vertx = vertx;
        this.store = store;
    }

    /**
     * The job as soon as it is as somebody wants it, or as it was seen last when the time is up.
     *
     * @return null if there is no such job; fails with {@code DatabaseUnavailableException}
     */
    Future<JobStateStore.@Nullable Found> await(String token, Predicate<JobStateStore.Found> enough, long waitMs) {
        Watched known = jobs.get(token);
        if (known != null) {
            return enough.test(known.seen)
                    ? Future.succeededFuture(known.seen)
                    : enqueue(token, known.seen, enough, waitMs);
        }
        return firstLook(token)
                .compose(found -> found == null || waitMs <= 0 || enough.test(found)
                        ? Future.succeededFuture(found)
                        : enqueue(token, found, enough, waitMs));
    }

    private Future<JobStateStore.@Nullable Found> firstLook(String token) {
        Future<JobStateStore.@Nullable Found> underWay = firstLooks.get(token);
        if (underWay != null) {
            return underWay;
        }
        Future<JobStateStore.@Nullable Found> look = store.find(token);
        if (!look.isComplete()) {
            firstLooks.put(token, look);
            look.onComplete(seen -> firstLooks.remove(token));
        }
        return look;
    }

    private Future<JobStateStore.@Nullable Found> enqueue(
            String token, JobStateStore.Found seen, Predicate<JobStateStore.Found> enough, long waitMs) {
        Watched watched = jobs.get(token);
        if (watched == null) {
            watched = new Watched(seen);
            jobs.put(token, watched);
            vertx.setTimer(PERIOD_MS, due -> look(token));
        }
        Watched mine = watched;
        Waiter waiter = new Waiter(enough, Promise.promise());
        mine.waiters.add(waiter);
        long timer = vertx.setTimer(waitMs, late -> {
            mine.waiters.remove(waiter);
            waiter.answer.tryComplete(mine.seen);
        });
        return waiter.answer.future().onComplete(told -> vertx.cancelTimer(timer));
    }

    private void look(String token) {
        Watched watched = jobs.get(token);
        if (watched == null || watched.waiters.isEmpty()) {
            jobs.remove(token);
            return;
        }
        store.find(token).onComplete((found, failure) -> {
            if (found != null) {
                watched.seen = found;
            }
            tell(watched, found, failure);
            vertx.setTimer(PERIOD_MS, due -> look(token));
        });
    }

    private static void tell(Watched watched, JobStateStore.@Nullable Found found, @Nullable Throwable failure) {
        List<Waiter> told = new ArrayList<>();
        for (Iterator<Waiter> all = watched.waiters.iterator(); all.hasNext(); ) {
            Waiter waiter = all.next();
            if (failure != null || found == null || waiter.enough.test(found)) {
                all.remove();
                told.add(waiter);
            }
        }
        // all taken out first: who is told may ask again at once
        for (Waiter waiter : told) {
            if (failure != null) {
                waiter.answer.tryFail(failure);
            } else {
                waiter.answer.tryComplete(found);
            }
        }
    }

    /** How many jobs are waited for. */
    int size() {
        return jobs.size();
    }
}
