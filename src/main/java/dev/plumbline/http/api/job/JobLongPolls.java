package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.bus.JobMessage;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** Holds requests until their job changes (long polling). Limits the held requests per API key and node. */
final class JobLongPolls {
    /** Waits until the job is final, regardless of its version. */
    static final long UNTIL_FINAL = -1;

    static final int MAX_PER_KEY = 10;

    /** The interval for detecting a closed connection or a shutdown. */
    private static final long SLICE_MS = 5_000;

    private final JobClient jobs;
    private final int maxSeconds;
    private final ConcurrentMap<Long, Integer> held = new ConcurrentHashMap<>();
    private volatile boolean draining;

    /** @param maxSeconds the maximum time for which a request is held */
    JobLongPolls(JobClient jobs, int maxSeconds) {
        this.jobs = jobs;
        this.maxSeconds = maxSeconds;
    }

    /** Ends held requests and holds no further ones. */
    void drain() {
        draining = true;
    }

    /** Returns the time for which a request with this preference is held, in seconds. */
    int seconds(int preferred) {
        return Math.min(preferred, maxSeconds);
    }

    /** Acquires a slot for a request of this key. Returns false if none is available. */
    boolean acquire(ApiCaller caller) {
        boolean[] acquired = new boolean[1];
        held.compute(caller.keyId(), (key, held) -> {
            int count = held == null ? 0 : held;
            acquired[0] = count < MAX_PER_KEY && !draining;
            return acquired[0] ? (Integer) (count + 1) : held;
        });
        return acquired[0];
    }

    /**
     * Completes with the job when it changes or after the given time. Releases the slot of {@link #acquire} then, or
     * when the connection closes.
     *
     * @param knownVersion the version to wait past, or {@link #UNTIL_FINAL}
     * @param ctx the context of the held request
     */
    Future<JobMessage.JobSnapshot> await(
            RoutingContext ctx, ApiCaller caller, String token, long knownVersion, int seconds) {
        return await(ctx, caller, token, knownVersion, seconds, job -> Future.succeededFuture(true));
    }

    /**
     * As above, but waits for a change that meets a condition.
     *
     * @param condition tested for each version that is seen
     */
    Future<JobMessage.JobSnapshot> await(
            RoutingContext ctx,
            ApiCaller caller,
            String token,
            long knownVersion,
            int seconds,
            Function<JobMessage.JobSnapshot, Future<Boolean>> condition) {
        AtomicBoolean holding = new AtomicBoolean(true);
        Runnable release = () -> {
            if (holding.getAndSet(false)) {
                held.computeIfPresent(caller.keyId(), (key, count) -> count == 1 ? null : (Integer) (count - 1));
            }
        };
        ctx.addEndHandler(end -> release.run());
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        return awaitSlice(ctx, caller.accountId(), token, knownVersion, deadline, condition)
                .onComplete(end -> release.run());
    }

    private Future<JobMessage.JobSnapshot> awaitSlice(
            RoutingContext ctx,
            long accountId,
            String token,
            long knownVersion,
            long deadline,
            Function<JobMessage.JobSnapshot, Future<Boolean>> condition) {
        long leftMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
        return jobs.await(accountId, token, knownVersion, Math.min(leftMs, SLICE_MS))
                .compose(job -> {
                    boolean changed = knownVersion != UNTIL_FINAL && job.version() > knownVersion;
                    boolean ended = job.state().isFinal()
                            || System.nanoTime() >= deadline
                            || draining
                            || ctx.response().closed();
                    if (ended) {
                        return Future.succeededFuture(job);
                    }
                    Future<Boolean> met = changed ? condition.apply(job) : Future.succeededFuture(false);
                    long known = changed ? job.version() : knownVersion;
                    return met.compose(done -> done
                            ? Future.succeededFuture(job)
                            : awaitSlice(ctx, accountId, token, known, deadline, condition));
                });
    }
}
