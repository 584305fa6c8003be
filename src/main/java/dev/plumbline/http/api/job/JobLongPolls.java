package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.bus.JobMessage;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Holds requests until their job changes (long polling). Limits the held requests per API key and
 * node.
 */
final class JobLongPolls {
    /** Waits until the job is final, regardless of its version. */
    static final long UNTIL_FINAL = -1;

    static final int MAX_PER_KEY = 10;

    /** The interval for detecting a closed connection or a shutdown. */
    private static final long SLICE_MS = 5_000;

    private final JobClient calls;
    private final int maxSeconds;
    private final ConcurrentMap<Long, Integer> held = new ConcurrentHashMap<>();
    private volatile boolean draining;

    /**
     * @param maxSeconds the maximum time for which a request is held
     */
    JobLongPolls(JobClient calls, int maxSeconds) {
        this.calls = calls;
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
    boolean enter(ApiCaller caller) {
        boolean[] acquired = new boolean[1];
        held.compute(caller.keyId(), (key, count) -> {
            int others = count == null ? 0 : count;
            acquired[0] = others < MAX_PER_KEY && !draining;
            return acquired[0] ? (Integer) (others + 1) : count;
        });
        return acquired[0];
    }

    /**
     * Completes with the job when it changes or after the given time. Releases the slot of {@link
     * #enter} then, or when the connection closes.
     *
     * @param knownVersion the version to wait past, or {@link #UNTIL_FINAL}
     * @param ctx the context of the held request
     */
    Future<JobMessage.JobHead> await(
            RoutingContext ctx, ApiCaller caller, String token, long knownVersion, int seconds) {
        AtomicBoolean inside = new AtomicBoolean(true);
        Runnable leave = () -> {
            if (inside.getAndSet(false)) {
                held.computeIfPresent(caller.keyId(), (key, count) -> count == 1 ? null : (Integer) (count - 1));
            }
        };
        ctx.addEndHandler(gone -> leave.run());
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        return slice(ctx, caller.accountId(), token, knownVersion, until).onComplete(over -> leave.run());
    }

    private Future<JobMessage.JobHead> slice(
            RoutingContext ctx, long accountId, String token, long knownVersion, long until) {
        long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime()));
        return calls.await(accountId, token, knownVersion, Math.min(left, SLICE_MS))
                .compose(job -> {
                    boolean changed = knownVersion != UNTIL_FINAL && job.version() > knownVersion;
                    boolean late = System.nanoTime() >= until;
                    return changed
                                    || job.state().isFinal()
                                    || late
                                    || draining
                                    || ctx.response().closed()
                            ? Future.succeededFuture(job)
                            : slice(ctx, accountId, token, knownVersion, until);
                });
    }
}
