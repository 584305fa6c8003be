package dev.plumbline.cluster;

import dev.plumbline.bus.PermitMessage.PermitDecision;
import dev.plumbline.bus.PermitMessage.PermitDecisions;
import dev.plumbline.bus.PermitMessage.PermitOutcome;
import dev.plumbline.bus.PermitMessage.PermitReleases;
import dev.plumbline.bus.PermitMessage.PermitRequest;
import dev.plumbline.bus.PermitMessage.PermitRequests;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.concurrent.Scheduler;
import dev.plumbline.egress.RatePermit;
import dev.plumbline.result.LimiterKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Requests permits from the nodes that own them. A request without a decision, because a message was lost, ends as
 * overload. Thread-safe.
 */
final class PermitClient {
    /** Time for the messages of a request whose caller does not wait. */
    static final long MIN_WAIT_MILLIS = 100;

    /** The owner ends a wait earlier than this node by at most this time, so that its decision arrives. */
    static final long DECISION_MILLIS = 100;

    /** The pause before a request is repeated because this node and another disagree about the owner. */
    static final long MOVED_MILLIS = 100;

    private record Pending(String owner, String key, Promise<RatePermit> promise) {}

    private final PermitOwnership ownership;
    private final Scheduler scheduler;
    private final PermitMetrics metrics;
    private final PermitOutbox<PermitRequest> requests;
    private final PermitOutbox<Long> releases;
    private final ConcurrentMap<Long, Pending> pending = new ConcurrentHashMap<>();

    /** Random, because the permits of this node before a restart can still be held. */
    private final AtomicLong ids = new AtomicLong(ThreadLocalRandom.current().nextLong());

    /**
     * @param self the name of this node
     * @param afterTask executes a task after the current one
     */
    PermitClient(
            String self,
            PermitOwnership ownership,
            PermitTransport transport,
            Scheduler scheduler,
            Executor afterTask,
            PermitMetrics metrics) {
        this.ownership = ownership;
        this.scheduler = scheduler;
        this.metrics = metrics;
        this.requests = new PermitOutbox<>(transport, afterTask, items -> new PermitRequests(self, items));
        this.releases = new PermitOutbox<>(transport, afterTask, items -> new PermitReleases(self, items));
    }

    /**
     * Requests a permit. Fails with {@link OverloadFailure}, and with {@link PermitMovedException} if the request must
     * be repeated.
     *
     * @param owner the name of another node
     * @param account as in {@link dev.plumbline.egress.RateLimiter#acquire}
     * @param end when the permit is released at the latest
     */
    Future<RatePermit> acquire(
            String owner, LimiterKind kind, String key, long maxWaitMillis, long account, Deadline end) {
        long id = ids.incrementAndGet();
        Pending request = new Pending(owner, key, Promise.promise());
        pending.put(id, request);
        Runnable cancel = scheduler.after(Math.max(MIN_WAIT_MILLIS, maxWaitMillis), () -> timeOut(id));
        request.promise().future().onComplete(done -> cancel.run());
        long ownerWaitMillis = Math.max(0, maxWaitMillis - Math.min(DECISION_MILLIS, maxWaitMillis / 4));
        requests.add(owner, new PermitRequest(id, kind, key, account, ownerWaitMillis, end.remainingMillis()));
        if (!owner.equals(ownership.owner(key))) {
            move(id, request);
        }
        return request.promise().future();
    }

    private void timeOut(long id) {
        Pending request = pending.remove(id);
        if (request != null) {
            releases.add(request.owner(), id);
            metrics.rejected.increment();
            request.promise()
                    .fail(new OverloadFailure(
                            "The node that limits the rate for this target did not respond.", Duration.ofSeconds(1)));
        }
    }

    /** Applies the decisions of an owner. A permit that came too late is released. */
    void decide(PermitDecisions decisions) {
        for (PermitDecision decision : decisions.decisions()) {
            Pending request = pending.get(decision.id());
            if (request != null
                    && request.owner().equals(decisions.owner())
                    && pending.remove(decision.id(), request)) {
                decide(request, decision);
            } else if (decision.outcome() == PermitOutcome.GRANTED) {
                releases.add(decisions.owner(), decision.id());
            }
        }
    }

    private void decide(Pending request, PermitDecision decision) {
        switch (decision.outcome()) {
            case GRANTED -> {
                metrics.granted.increment();
                request.promise()
                        .complete(new RatePermit(
                                () -> releases.add(request.owner(), decision.id()), decision.limitedBy()));
            }
            case REJECTED -> {
                metrics.rejected.increment();
                request.promise()
                        .fail(new OverloadFailure(
                                "A limit per target is exceeded.",
                                Duration.ofSeconds(Math.max(1, decision.retryAfterSeconds())),
                                decision.limitedBy()));
            }
            case MOVED -> scheduler.after(MOVED_MILLIS, () -> request.promise().tryFail(PermitMovedException.INSTANCE));
        }
    }

    /** Repeats the requests whose owner changed. */
    void onOwnershipChange() {
        pending.forEach((id, request) -> {
            if (!request.owner().equals(ownership.owner(request.key()))) {
                move(id, request);
            }
        });
    }

    private void move(long id, Pending request) {
        if (pending.remove(id, request)) {
            releases.add(request.owner(), id);
            request.promise().fail(PermitMovedException.INSTANCE);
        }
    }

    /** The number of requests without a decision. */
    int pending() {
        return pending.size();
    }
}
