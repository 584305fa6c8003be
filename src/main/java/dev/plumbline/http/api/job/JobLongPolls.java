package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.bus.JobMessage;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Requests that are held until their job has changed: so many of one key at once, on this node. */
final class JobLongPolls {
    /** Wait until the job is final, whatever its version. */
    static final long UNTIL_FINAL = -1;

    static final int MOST_OF_A_KEY = 10;

    /** How long a client that has gone, or a stop of the service, goes unnoticed. */
    private static final long SLICE_MS = 5_000;

    private final JobClient calls;
    private final int mostSeconds;
    private final ConcurrentMap<Long, Integer> held = new ConcurrentHashMap<>();
    private volatile boolean draining;

    /**
     * @param mostSeconds how long a request is held, whatever its client prefers
     */
    JobLongPolls(JobClient calls, int mostSeconds) {
        this.calls = calls;
        this.mostSeconds = mostSeconds;
    }

    /** Holds no request any more. */
    void drain() {
        draining = true;
    }

    /** How long a client that prefers so many seconds is held. */
    int seconds(int preferred) {
        return Math.min(preferred, mostSeconds);
    }

    /** Takes a place for a request of this key; false when there is none, and nothing was taken. */
    boolean enter(ApiCaller caller) {
        boolean[] room = new boolean[1];
        held.compute(caller.keyId(), (key, count) -> {
            int others = count == null ? 0 : count;
            room[0] = others < MOST_OF_A_KEY && !draining;
            return room[0] ? (Integer) (others + 1) : count;
        });
        return room[0];
    }

    /**
     * The job when it has changed, or as it is after that time. Gives the place of {@link #enter}
     * back then, or when the client has gone.
     *
     * @param knownVersion wait until the job is of a later version, or {@link #UNTIL_FINAL}
     * @param ctx of the client who waits
     */
    Future<JobMessage.JobSnapshot> await(
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

    private Future<JobMessage.JobSnapshot> slice(
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
