package dev.plumbline.egress;

import dev.plumbline.config.Config;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The permits of the last second, the permits held, and the waiting callers of one key. Guarded by
 * {@link KeyedRateLimiter}. Small, because there is one for every address contacted within the last second.
 */
final class RateLimiterQueue {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long[] NONE = {};

    /** A waiting caller. Not a record, because it is compared by identity. */
    static final class Waiter {
        private final Promise<Void> promise;
        private final boolean lowPriority;

        Waiter(Promise<Void> promise, boolean lowPriority) {
            this.promise = promise;
            this.lowPriority = lowPriority;
        }

        Promise<Void> promise() {
            return promise;
        }
    }

    private final Config.OutboundLimit limit;

    /** A ring buffer of the times of grants, the oldest at {@code first}. */
    private long[] grants = NONE;

    private int first;
    private int grantCount;
    private @Nullable Deque<Waiter> waiters;
    private @Nullable Deque<Waiter> lowPriorityWaiters;
    private int held;
    private boolean wakeUpScheduled;

    RateLimiterQueue(Config.OutboundLimit limit) {
        this.limit = limit;
    }

    boolean tryAcquire(long now) {
        if (atConcurrencyLimit() || windowFull(now)) {
            return false;
        }
        held++;
        if (limit.perSecond() > 0) {
            addGrant(now);
        }
        return true;
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
        while (grantCount > 0 && now - grants[first] >= SECOND) {
            first = (first + 1) % grants.length;
            grantCount--;
        }
    }

    void release() {
        held--;
    }

    /** How long a caller with this many before it waits for the window alone. */
    long windowWaitNanos(long now, int queuedBefore) {
        if (limit.perSecond() == 0) {
            return 0;
        }
        return nanosToNextGrant(now) + (long) queuedBefore / limit.perSecond() * SECOND;
    }

    private long nanosToNextGrant(long now) {
        return windowFull(now) ? grants[first] + SECOND - now : 0;
    }

    /** The nanoseconds until the next wake-up, which the caller must schedule; -1 if none is needed. */
    long takeWakeUp(long now) {
        if (wakeUpScheduled || isEmpty() || atConcurrencyLimit()) {
            return -1;
        }
        wakeUpScheduled = true;
        return nanosToNextGrant(now);
    }

    void clearWakeUp() {
        wakeUpScheduled = false;
    }

    boolean isIdle() {
        return held == 0 && isEmpty();
    }

    boolean isExpired(long now) {
        expireGrants(now);
        return grantCount == 0;
    }

    boolean isEmpty() {
        return queuedBefore(true) == 0;
    }

    /** The number of waiting callers before a new one. */
    int queuedBefore(boolean lowPriority) {
        return size(waiters) + (lowPriority ? size(lowPriorityWaiters) : 0);
    }

    private static int size(@Nullable Deque<Waiter> queue) {
        return queue == null ? 0 : queue.size();
    }

    void add(Waiter waiter) {
        if (waiter.lowPriority) {
            lowPriorityWaiters = append(lowPriorityWaiters, waiter);
        } else {
            waiters = append(waiters, waiter);
        }
    }

    private static Deque<Waiter> append(@Nullable Deque<Waiter> queue, Waiter waiter) {
        Deque<Waiter> appended = queue == null ? new ArrayDeque<>(4) : queue;
        appended.add(waiter);
        return appended;
    }

    /** Removes and returns the next waiting caller; the queue must not be empty. */
    Waiter next() {
        return Objects.requireNonNull(size(waiters) == 0 ? lowPriorityWaiters : waiters)
                .remove();
    }

    boolean remove(Waiter waiter) {
        Deque<Waiter> queue = waiter.lowPriority ? lowPriorityWaiters : waiters;
        return queue != null && queue.remove(waiter);
    }
}
