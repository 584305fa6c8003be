package dev.plumbline.quota;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plumbline.bus.Message.ChargeQuota;
import dev.plumbline.bus.Message.Denied;
import dev.plumbline.bus.Message.Done;
import dev.plumbline.bus.Message.Granted;
import dev.plumbline.bus.Message.QuotaReply;
import dev.plumbline.bus.Message.QuotaUnavailable;
import dev.plumbline.bus.Message.RefundQuota;
import dev.plumbline.concurrent.Batcher;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.DatabaseOverloadedException;
import dev.plumbline.postgres.DatabaseUnavailableException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Quotas as exact sliding windows in the database, by its clock, shared by all nodes. Concurrent charges are batched in
 * order. A denial is cached until the same charge can be granted.
 */
public final class SlidingWindowQuotas {
    // Clients of the bus time out after 2 seconds; a charge after that would have no use.
    private static final Batcher.Limits CHARGES = new Batcher.Limits(500, 10_000, 1).expiringAfter(1_500);
    private static final Batcher.Limits REFUNDS = new Batcher.Limits(500, 10_000, 1);
    private static final int MAX_CACHED_DENIALS = 100_000;
    private static final long MICROS_PER_SECOND = 1_000_000;

    private final QuotaStore store;
    private final Map<String, QuotaPolicy> policies;
    private final LongSupplier nanos;
    private final Batcher<QuotaStore.Charge, QuotaReply> charges;
    private final Batcher<RefundQuota, Boolean> refunds;
    private final Cache<QuotaKey, Denial> denials =
            Caffeine.newBuilder().maximumSize(MAX_CACHED_DENIALS).build();
    private final AtomicLong completedRefunds = new AtomicLong();

    private record QuotaKey(String policy, String key) {}

    private record Denial(int cost, Denied reply, long expiresNanos) {}

    /** @param policies the policies by name */
    public SlidingWindowQuotas(Vertx vertx, Database database, Map<String, QuotaPolicy> policies) {
        this(vertx, database, policies, System::nanoTime);
    }

    SlidingWindowQuotas(Vertx vertx, Database database, Map<String, QuotaPolicy> policies, LongSupplier nanos) {
        this.store = new QuotaStore(database);
        this.policies = Map.copyOf(policies);
        this.nanos = nanos;
        this.charges = new Batcher<>(vertx, CHARGES, DatabaseOverloadedException::queueFull, this::chargeAll, nanos);
        this.refunds = new Batcher<>(vertx, REFUNDS, DatabaseOverloadedException::queueFull, this::refundAll);
    }

    /**
     * Charges a quota if the limit permits it.
     *
     * @return {@link QuotaUnavailable} during an outage; fails with {@link IllegalArgumentException} if the policy is
     *     unknown
     */
    public Future<QuotaReply> charge(ChargeQuota request) {
        QuotaPolicy policy = policies.get(request.policy());
        if (policy == null) {
            return unknownPolicy(request.policy());
        }
        if (policy.limit() == 0) {
            return Future.succeededFuture(new Granted(0, Integer.MAX_VALUE, 0, 0));
        }
        Denied denied = cachedDenial(request);
        if (denied != null) {
            return Future.succeededFuture(denied);
        }
        return charges.submit(new QuotaStore.Charge(request, policy)).recover(SlidingWindowQuotas::unavailable);
    }

    /**
     * Removes a charge. A charge that has left the window is ignored.
     *
     * @return fails with {@link DatabaseUnavailableException} during a database outage
     */
    public Future<Done> refund(RefundQuota request) {
        QuotaPolicy policy = policies.get(request.policy());
        if (policy == null) {
            return unknownPolicy(request.policy());
        }
        if (policy.limit() == 0) {
            return Future.succeededFuture(new Done());
        }
        return refunds.submit(request).map(new Done());
    }

    public int pendingCharges() {
        return charges.queued();
    }

    /** Completes when all refunds have completed or failed. */
    public Future<Void> flush() {
        return refunds.drain();
    }

    private static <T> Future<T> unknownPolicy(String policy) {
        return Future.failedFuture(new IllegalArgumentException("unknown quota policy: " + policy));
    }

    private static Future<QuotaReply> unavailable(Throwable failure) {
        return failure instanceof DatabaseUnavailableException
                ? Future.succeededFuture(new QuotaUnavailable(failure instanceof DatabaseOverloadedException))
                : Future.failedFuture(failure);
    }

    private @Nullable Denied cachedDenial(ChargeQuota request) {
        QuotaKey quotaKey = new QuotaKey(request.policy(), request.key());
        Denial denial = denials.getIfPresent(quotaKey);
        // a smaller cost can be granted earlier, a larger one later
        long left = denial == null || denial.cost != request.cost() ? 0 : denial.expiresNanos - nanos.getAsLong();
        if (denial == null || left <= 0) {
            return null;
        }
        Denied reply = denial.reply;
        return new Denied(reply.limit(), reply.remaining(), seconds(left / 1_000));
    }

    private Future<List<QuotaReply>> chargeAll(List<QuotaStore.Charge> requests) {
        long sentNanos = nanos.getAsLong();
        long refundsBefore = completedRefunds.get();
        return store.charge(requests).map(outcomes -> {
            List<QuotaReply> replies = new ArrayList<>(outcomes.size());
            for (int i = 0; i < outcomes.size(); i++) {
                replies.add(reply(requests.get(i), outcomes.get(i), sentNanos, refundsBefore));
            }
            return replies;
        });
    }

    private QuotaReply reply(
            QuotaStore.Charge charge, QuotaStore.ChargeOutcome outcomes, long sentNanos, long refundsBefore) {
        int limit = charge.policy().limit();
        if (outcomes.granted()) {
            return new Granted(
                    limit, outcomes.remaining(), seconds(outcomes.resetMicros()), outcomes.chargedAtMicros());
        }
        Denied denied = new Denied(limit, outcomes.remaining(), seconds(outcomes.retryMicros()));
        cacheDenial(charge.request(), denied, sentNanos + outcomes.retryMicros() * 1_000, refundsBefore);
        return denied;
    }

    // A refund that completed meanwhile can have invalidated the denial.
    private void cacheDenial(ChargeQuota request, Denied denied, long expiresNanos, long refundsBefore) {
        QuotaKey quotaKey = new QuotaKey(request.policy(), request.key());
        denials.put(quotaKey, new Denial(request.cost(), denied, expiresNanos));
        if (completedRefunds.get() != refundsBefore) {
            denials.invalidate(quotaKey);
        }
    }

    /** Removes the cached denial of a quota, because a node has removed charges. */
    public void onRefund(String policy, String key) {
        completedRefunds.incrementAndGet();
        denials.invalidate(new QuotaKey(policy, key));
    }

    private Future<List<Boolean>> refundAll(List<RefundQuota> requests) {
        return store.refund(requests).map(done -> {
            requests.forEach(refund -> onRefund(refund.policy(), refund.key()));
            return Collections.nCopies(requests.size(), true);
        });
    }

    private static int seconds(long micros) {
        return (int) Math.max(1, (micros + MICROS_PER_SECOND - 1) / MICROS_PER_SECOND);
    }
}
