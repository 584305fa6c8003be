package dev.plumbline.cluster;

import dev.plumbline.bus.PermitMessage.PermitDecision;
import dev.plumbline.bus.PermitMessage.PermitDecisions;
import dev.plumbline.bus.PermitMessage.PermitOutcome;
import dev.plumbline.bus.PermitMessage.PermitReleases;
import dev.plumbline.bus.PermitMessage.PermitRequest;
import dev.plumbline.bus.PermitMessage.PermitRequests;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.concurrent.Scheduler;
import dev.plumbline.egress.RatePermit;
import dev.plumbline.result.TargetLimit;
import io.vertx.core.AsyncResult;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Grants permits of own keys to other nodes. A permit ends when its holder releases it or leaves the cluster, and at
 * the latest a second after the end of the check. Thread-safe.
 */
final class PermitServer {
    private static final long GRACE_MILLIS = 1_000;
    private static final long SWEEP_MILLIS = 1_000;

    /** The maximum time of a permit, so that a request with an invalid time does not hold it permanently. */
    private static final long MAX_REMAINING_MILLIS = TimeUnit.MINUTES.toMillis(10);

    private record PermitId(String holder, long id) {}

    /** A request or permit of another node. */
    private record RemotePermit(OwnedPermitRequest request, long endNanos) {}

    private final OwnedRateLimiters limiters;
    private final LongSupplier nanoClock;
    private final Scheduler scheduler;
    private final PermitMetrics metrics;
    private final PermitOutbox<PermitDecision> decisions;
    private final Map<PermitId, RemotePermit> permits = new ConcurrentHashMap<>();
    private final AtomicBoolean sweeping = new AtomicBoolean();

    /**
     * @param self the name of this node
     * @param afterTask executes a task after the current one
     */
    PermitServer(
            String self,
            OwnedRateLimiters limiters,
            PermitTransport transport,
            LongSupplier nanoClock,
            Scheduler scheduler,
            Executor afterTask,
            PermitMetrics metrics) {
        this.limiters = limiters;
        this.nanoClock = nanoClock;
        this.scheduler = scheduler;
        this.metrics = metrics;
        this.decisions = new PermitOutbox<>(transport, afterTask, items -> new PermitDecisions(self, items));
    }

    /** Queues the requests of a node and sends the decisions. */
    void request(PermitRequests batch) {
        for (PermitRequest request : batch.requests()) {
            request(new PermitId(batch.holder(), request.id()), request);
        }
        if (!permits.isEmpty() && sweeping.compareAndSet(false, true)) {
            scheduler.after(SWEEP_MILLIS, this::sweep);
        }
    }

    private void request(PermitId id, PermitRequest request) {
        long remainingMillis = Math.max(0, Math.min(request.remainingMs(), MAX_REMAINING_MILLIS));
        RemotePermit permit = new RemotePermit(
                limiters.create(request.kind(), request.key(), request.maxWaitMs(), request.account()),
                nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(remainingMillis + GRACE_MILLIS));
        // a second permit with the ID could not be released
        if (permits.putIfAbsent(id, permit) == null) {
            limiters.start(permit.request).onComplete(outcome -> decide(id, permit, outcome));
        }
    }

    private void decide(PermitId id, RemotePermit permit, AsyncResult<RatePermit> outcome) {
        if (outcome.succeeded()) {
            // a permit that was withdrawn is not granted
            if (permit.equals(permits.get(id))) {
                send(id, PermitOutcome.GRANTED, 0, outcome.result().limitedBy());
            }
        } else if (permits.remove(id, permit)) {
            if (outcome.cause() instanceof OverloadFailure overload) {
                send(id, PermitOutcome.REJECTED, (int) overload.retryAfter().toSeconds(), overload.type());
            } else {
                send(id, PermitOutcome.MOVED, 0, null);
            }
        }
    }

    private void send(PermitId id, PermitOutcome outcome, int retryAfterSeconds, TargetLimit.@Nullable Type limitedBy) {
        decisions.add(id.holder(), new PermitDecision(id.id(), outcome, retryAfterSeconds, limitedBy));
    }

    /** Releases permits and cancels requests. */
    void release(PermitReleases releases) {
        for (Long id : releases.ids()) {
            RemotePermit permit = permits.remove(new PermitId(releases.holder(), id));
            if (permit != null) {
                permit.request.withdraw();
            }
        }
    }

    /** Withdraws all permits and requests of a node that left the cluster. */
    void onNodeLost(String node) {
        withdraw(entry -> entry.getKey().holder().equals(node));
    }

    private void sweep() {
        long now = nanoClock.getAsLong();
        metrics.expired.increment(withdraw(entry -> now - entry.getValue().endNanos >= 0));
        sweeping.set(false);
        if (!permits.isEmpty() && sweeping.compareAndSet(false, true)) {
            scheduler.after(SWEEP_MILLIS, this::sweep);
        }
    }

    private int withdraw(Predicate<Map.Entry<PermitId, RemotePermit>> selected) {
        int count = 0;
        for (Map.Entry<PermitId, RemotePermit> entry : List.copyOf(permits.entrySet())) {
            if (selected.test(entry) && permits.remove(entry.getKey(), entry.getValue())) {
                entry.getValue().request.withdraw();
                count++;
            }
        }
        return count;
    }

    /** The number of permits and waiting requests of other nodes. */
    int size() {
        return permits.size();
    }
}
