package dev.plumbline.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plumbline.bus.Message.Denied;
import dev.plumbline.bus.Message.Done;
import dev.plumbline.bus.Message.Granted;
import dev.plumbline.bus.Message.QuotaReply;
import dev.plumbline.bus.Message.QuotaUnavailable;
import dev.plumbline.bus.Message.RefundQuota;
import dev.plumbline.bus.Message.TakeQuota;
import dev.plumbline.concurrent.Batcher;
import dev.plumbline.store.Database;
import dev.plumbline.store.DatabaseUnavailableException;
import dev.plumbline.store.RetentionTask;
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
 * A sliding-window rate limiter, exact across all nodes, stored in the database and timed by its
 * clock. Takes are batched in order. Known denials are cached.
 */
public final class SlidingWindows {
    // Callers time out after two seconds; a later take would be charged in vain.
    private static final Batcher.Limits TAKES = new Batcher.Limits(500, 10_000, 1).expiringAfter(1_500);
    private static final Batcher.Limits REFUNDS = new Batcher.Limits(500, 10_000, 1);
    private static final int MAX_CACHED_DENIALS = 100_000;
    private static final long MICROS_PER_SECOND = 1_000_000;

    private final QuotaStore store;
    private final Map<String, QuotaPolicy> policies;
    private final LongSupplier nanos;
    private final Batcher<Take, QuotaReply> takes;
    private final Batcher<RefundQuota, Boolean> refunds;
    private final Cache<Who, Denial> denials =
            Caffeine.newBuilder().maximumSize(MAX_CACHED_DENIALS).build();
    private final AtomicLong refundCount = new AtomicLong();

    private record Take(TakeQuota message, QuotaPolicy policy) {}

    private record Who(String policy, String key) {}

    private record Denial(int cost, Denied reply, long untilNanos) {}

    /**
     * @param policies the policies by name
     */
    public SlidingWindows(Vertx vertx, Database database, Map<String, QuotaPolicy> policies) {
        this(vertx, database, policies, System::nanoTime);
    }

    SlidingWindows(Vertx vertx, Database database, Map<String, QuotaPolicy> policies, LongSupplier nanos) {
        this.store = new QuotaStore(database);
        this.policies = Map.copyOf(policies);
        this.nanos = nanos;
        this.takes = new Batcher<>(vertx, TAKES, this::takeAll, nanos);
        this.refunds = new Batcher<>(vertx, REFUNDS, this::refundAll);
    }

    /**
     * Takes the cost from a quota if enough is left.
     *
     * @return {@link QuotaUnavailable} during a database outage; fails with {@link
     *     IllegalArgumentException} for an unknown policy or a negative cost
     */
    public Future<QuotaReply> take(TakeQuota message) {
        QuotaPolicy policy = policies.get(message.policy());
        if (policy == null) {
            return unknown(message.policy());
        }
        if (message.cost() < 0) {
            return Future.failedFuture(new IllegalArgumentException("cost must not be negative"));
        }
        if (message.key().indexOf('\0') >= 0) {
            return Future.failedFuture(new IllegalArgumentException("key must not contain NUL"));
        }
        if (policy.limit() == 0) {
            return Future.succeededFuture(new Granted(0, Integer.MAX_VALUE, 0, 0));
        }
        Denied denied = cachedDenial(message);
        if (denied != null) {
            return Future.succeededFuture(denied);
        }
        return takes.ask(new Take(message, policy)).recover(SlidingWindows::unavailable);
    }

    /**
     * Refunds a take. Has no effect if it has left the window.
     *
     * @return fails with {@link DatabaseUnavailableException} during a database outage
     */
    public Future<Done> refund(RefundQuota message) {
        QuotaPolicy policy = policies.get(message.policy());
        if (policy == null) {
            return unknown(message.policy());
        }
        if (policy.limit() == 0) {
            return Future.succeededFuture(new Done());
        }
        return refunds.ask(message).map(new Done());
    }

    /** The number of queued takes. */
    public int takesQueued() {
        return takes.queued();
    }

    /** Completes when all queued refunds are written or have failed. */
    public Future<Void> flush() {
        return refunds.drain();
    }

    /** Deletes up to {@link RetentionTask#SLICE} expired rows. */
    public Future<Integer> purgeSlice() {
        return store.purgeSlice();
    }

    private static <T> Future<T> unknown(String policy) {
        return Future.failedFuture(new IllegalArgumentException("unknown quota: " + policy));
    }

    private static Future<QuotaReply> unavailable(Throwable failure) {
        return failure instanceof DatabaseUnavailableException
                ? Future.succeededFuture(new QuotaUnavailable())
                : Future.failedFuture(failure);
    }

    private @Nullable Denied cachedDenial(TakeQuota message) {
        Who who = new Who(message.policy(), message.key());
        Denial denial = denials.getIfPresent(who);
        // A smaller cost could be granted; a larger one has a longer wait.
        if (denial == null || denial.cost != message.cost()) {
            return null;
        }
        long left = denial.untilNanos - nanos.getAsLong();
        if (left <= 0) {
            denials.invalidate(who);
            return null;
        }
        Denied reply = denial.reply;
        return new Denied(reply.limit(), reply.remaining(), seconds(left / 1_000));
    }

    private Future<List<QuotaReply>> takeAll(List<Take> batch) {
        long sentNanos = nanos.getAsLong();
        long refundsBefore = refundCount.get();
        return store.take(batch.stream()
                        .map(take -> new QuotaStore.Take(
                                take.message.policy(),
                                take.message.key(),
                                take.message.cost(),
                                take.policy.limit(),
                                take.policy.windowMicros()))
                        .toList())
                .map(taken -> {
                    List<QuotaReply> replies = new ArrayList<>(taken.size());
                    for (int i = 0; i < taken.size(); i++) {
                        replies.add(reply(batch.get(i), taken.get(i), sentNanos, refundsBefore));
                    }
                    return replies;
                });
    }

    private QuotaReply reply(Take take, QuotaStore.Taken taken, long sentNanos, long refundsBefore) {
        int limit = take.policy.limit();
        if (taken.granted()) {
            return new Granted(limit, taken.remaining(), seconds(taken.resetMicros()), taken.takenAtMicros());
        }
        Denied denied = new Denied(limit, taken.remaining(), seconds(taken.retryMicros()));
        cacheDenial(take.message, denied, sentNanos + taken.retryMicros() * 1_000, refundsBefore);
        return denied;
    }

    // Not cached if a refund may have happened after the denial.
    private void cacheDenial(TakeQuota message, Denied denied, long untilNanos, long refundsBefore) {
        Who who = new Who(message.policy(), message.key());
        denials.put(who, new Denial(message.cost(), denied, untilNanos));
        if (refundCount.get() != refundsBefore) {
            denials.invalidate(who);
        }
    }

    private Future<List<Boolean>> refundAll(List<RefundQuota> batch) {
        return store.refund(batch.stream()
                        .map(refund -> new QuotaStore.Refund(
                                refund.policy(), refund.key(), refund.cost(), refund.takenAtMicros()))
                        .toList())
                .map(done -> {
                    refundCount.incrementAndGet();
                    for (RefundQuota refund : batch) {
                        denials.invalidate(new Who(refund.policy(), refund.key()));
                    }
                    return Collections.nCopies(batch.size(), true);
                });
    }

    private static int seconds(long micros) {
        return (int) Math.max(1, (micros + MICROS_PER_SECOND - 1) / MICROS_PER_SECOND);
    }
}
