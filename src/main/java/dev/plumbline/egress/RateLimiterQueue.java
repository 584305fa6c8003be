package dev.plumbline.egress;

import dev.plumbline.check.OverloadFailure;
import dev.plumbline.concurrent.FairQueue;
import dev.plumbline.config.Config;
import dev.plumbline.result.TargetLimit;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The permits of the last window, the permits held, and the waiting callers of one key. Guarded by
 * {@link KeyedRateLimiter}. Small, because there is one for every address contacted within the last second.
 */
final class RateLimiterQueue {
    private static final long[] NONE = {};

    /** The key of instant checks, which are served before the lines of jobs. */
    private static final long INSTANT_CHECK = 0;

    /** A waiting caller. Not a record, because it is compared by identity. */
    static final class Waiter {
        private final Promise<TargetLimit.@Nullable Type> promise = Promise.promise();
        private final long account;
        private final TargetLimit.Type limitedBy;

        /**
         * @param account the account of the line of a job; 0 for an instant check
         * @param limitedBy the type of the limit that causes the wait
         */
        Waiter(long account, TargetLimit.Type limitedBy) {
            this.account = account;
            this.limitedBy = limitedBy;
        }

        Future<TargetLimit.@Nullable Type> future() {
            return promise.future();
        }

        TargetLimit.Type limitedBy() {
            return limitedBy;
        }

        void complete() {
            promise.complete(limitedBy);
        }

        void fail(OverloadFailure failure) {
            promise.fail(failure);
        }
    }

    private final Config.OutboundLimit limit;

    private final long windowNanos;

    /** A ring buffer of the times of grants, the oldest at {@code first}. */
    private long[] grants = NONE;

    private int first;
    private int grantCount;
    /** The waiting callers by account; null before the first. */
    private @Nullable FairQueue<Long, Waiter> waiting;

    private int held;

    /** The permits held for lines of jobs by account, without zeros; null if they are not limited by account. */
    private @Nullable Map<Long, Integer> heldByAccount;

    private boolean wakeUpScheduled;

    /** @param windowNanos the time in which at most {@code per_second} permits are granted */
    RateLimiterQueue(Config.OutboundLimit limit, long windowNanos) {
        this.limit = limit;
        this.windowNanos = windowNanos;
    }

    /** Acquires a permit if one is available and no waiting caller can use it. */
    boolean tryAcquire(long account, long now) {
        if (atConcurrencyLimit() || atLimitOf(account) || hasEligible() || windowFull(now)) {
            return false;
        }
        grant(account, now);
        return true;
    }

    /** The type of the limit for which a caller waits that has no permit. */
    TargetLimit.Type limitedBy(long account) {
        boolean concurrency = limit.perSecond() == 0 || atConcurrencyLimit() || atLimitOf(account);
        return concurrency ? TargetLimit.Type.CONCURRENCY : TargetLimit.Type.RATE;
    }

    private void grant(long account, long now) {
        held++;
        if (account != 0 && permitsPerAccount() < limit.concurrent()) {
            heldByAccount = heldByAccount == null ? new HashMap<>(2) : heldByAccount;
            heldByAccount.merge(account, 1, Integer::sum);
        }
        if (limit.perSecond() > 0) {
            addGrant(now);
        }
    }

    private int permitsPerAccount() {
        return FairQueue.shareOfKey(limit.concurrent());
    }

    private boolean atLimitOf(long account) {
        return heldByAccount != null && heldByAccount.getOrDefault(account, 0) >= permitsPerAccount();
    }

    private boolean atConcurrencyLimit() {
        return limit.concurrent() > 0 && held >= limit.concurrent();
    }

    private boolean windowFull(long now) {
        expireGrants(now);
        return limit.perSecond() > 0 && grantCount >= limit.perSecond();
    }

    private void addGrant(long now) {
        if (grantCount == grants.length) {
            long[] larger = new long[Math.max(1, 2 * grantCount)];
            for (int i = 0; i < grantCount; i++) {
                larger[i] = grants[(first + i) % grantCount];
            }
            grants = larger;
            first = 0;
        }
        grants[(first + grantCount++) % grants.length] = now;
    }

    private void expireGrants(long now) {
        while (grantCount > 0 && now - grants[first] >= windowNanos) {
            first = (first + 1) % grants.length;
            grantCount--;
        }
    }

    void release(long account) {
        held--;
        if (heldByAccount != null) {
            heldByAccount.computeIfPresent(account, (same, count) -> count == 1 ? null : count - 1);
        }
    }

    /** How long a caller with this many before it waits for the window alone. */
    long windowWaitNanos(long now, int queuedBefore) {
        if (limit.perSecond() == 0) {
            return 0;
        }
        return nanosToNextGrant(now) + (long) queuedBefore / limit.perSecond() * windowNanos;
    }

    private long nanosToNextGrant(long now) {
        return windowFull(now) ? grants[first] + windowNanos - now : 0;
    }

    /** The nanoseconds until the next wake-up, which the caller must schedule; -1 if none is needed. */
    long takeWakeUp(long now) {
        if (wakeUpScheduled || atConcurrencyLimit() || !hasEligible()) {
            return -1;
        }
        wakeUpScheduled = true;
        return nanosToNextGrant(now);
    }

    void clearWakeUp() {
        wakeUpScheduled = false;
    }

    boolean isIdle() {
        return held == 0 && (waiting == null || waiting.isEmpty());
    }

    boolean isExpired(long now) {
        expireGrants(now);
        return grantCount == 0;
    }

    /** The number of waiting callers that are served before a new one. */
    int queuedBefore(long account) {
        if (waiting == null) {
            return 0;
        }
        int before = waiting.size(INSTANT_CHECK);
        if (account == INSTANT_CHECK) {
            return before;
        }
        int own = waiting.size(account);
        for (long other : waiting.keys()) {
            before += other == INSTANT_CHECK ? 0 : Math.min(waiting.size(other), own + 1);
        }
        return before;
    }

    void add(Waiter waiter) {
        waiting = waiting == null ? new FairQueue<>() : waiting;
        waiting.offer(waiter.account, waiter);
    }

    /** Whether a caller waits whose account is below its limit. */
    private boolean hasEligible() {
        return waiting != null && waiting.keys().stream().anyMatch(account -> !atLimitOf(account));
    }

    /** Grants a permit to the next waiting caller and removes it; null if there is none or no permit is available. */
    @Nullable
    Waiter poll(long now) {
        if (waiting == null || waiting.isEmpty() || atConcurrencyLimit() || windowFull(now)) {
            return null;
        }
        Waiter next = waiting.poll(account -> account == INSTANT_CHECK);
        if (next == null) {
            next = waiting.poll(account -> !atLimitOf(account));
        }
        if (next != null) {
            grant(next.account, now);
        }
        return next;
    }

    /** Removes a waiting caller; null if it is not waiting. */
    @Nullable
    Waiter remove(Future<?> future) {
        if (waiting == null) {
            return null;
        }
        Waiter waiter = waiting.stream()
                .filter(queued -> queued.promise.future() == future)
                .findFirst()
                .orElse(null);
        return waiter != null && waiting.remove(waiter.account, waiter) ? waiter : null;
    }
}
