package dev.plumbline.cluster;

import dev.plumbline.check.Deadline;
import dev.plumbline.concurrent.Scheduler;
import dev.plumbline.config.Config;
import dev.plumbline.egress.KeyedRateLimiter;
import dev.plumbline.egress.RatePermit;
import dev.plumbline.result.LimiterKind;
import io.vertx.core.Future;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** The rate limiters of this node, for the keys that it owns: one per kind. Thread-safe. */
final class OwnedRateLimiters {
    private final PermitOwnership ownership;
    private final LongSupplier nanoClock;
    private final Scheduler scheduler;
    private final Map<LimiterKind, KeyedRateLimiter<String>> limiters = new ConcurrentHashMap<>();

    /** The requests without an outcome. */
    private final Set<OwnedPermitRequest> waiting = ConcurrentHashMap.newKeySet();

    OwnedRateLimiters(PermitOwnership ownership, LongSupplier nanoClock, Scheduler scheduler) {
        this.ownership = ownership;
        this.nanoClock = nanoClock;
        this.scheduler = scheduler;
    }

    void add(LimiterKind kind, Config.OutboundLimit limit) {
        limiters.put(kind, new KeyedRateLimiter<>(limit, PermitOwnership.WINDOW, nanoClock, scheduler));
    }

    /** A request for a permit that is not started. */
    OwnedPermitRequest create(LimiterKind kind, String key, long maxWaitMillis, long account) {
        KeyedRateLimiter<String> limiter = Objects.requireNonNull(limiters.get(kind), kind::name);
        return new OwnedPermitRequest(
                limiter, key, account, Deadline.in(maxWaitMillis, nanoClock), ownership, scheduler);
    }

    /**
     * Requests a permit. The future fails with {@link dev.plumbline.check.OverloadFailure}, and with
     * {@link PermitMovedException} if this node does not own the key or loses it before the decision.
     */
    Future<RatePermit> start(OwnedPermitRequest request) {
        if (!ownership.isOwn(request.key())) {
            request.move();
            return request.future();
        }
        request.start();
        Future<RatePermit> outcome = request.future();
        if (!outcome.isComplete()) {
            waiting.add(request);
            outcome.onComplete(done -> waiting.remove(request));
            if (!ownership.isOwn(request.key())) {
                // the owner changed before the request was added
                request.move();
            }
        }
        return outcome;
    }

    /** Ends the requests for keys that this node no longer owns. */
    void onOwnershipChange() {
        for (OwnedPermitRequest request : waiting) {
            if (!ownership.isOwn(request.key())) {
                request.move();
            }
        }
    }
}
