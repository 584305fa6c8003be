package dev.plumbline.egress;

import dev.plumbline.config.Config;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Who is inside, who has entered within the last second, and who waits: guarded by the gate. Small,
 * because there is one for every address that was contacted within the last second.
 */
final class RateLimiterQueue {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long[] NONE = {};

    /** Compared by identity, as a record would not be. */
    static final class Waiter {
        private final Promise<Void> promise;
        private final boolean yields;

        /**
         * @param yields whether those go first who do not
         */
        Waiter(Promise<Void> promise, boolean yields) {
            this.promise = promise;
            this.yields = yields;
        }

        Promise<Void> promise() {
            return promise;
        }
    }

    private final Config.OutboundLimit pace;

    /** A ring of the moments of entry, the oldest at {@code oldest}. */
    private long[] entries = NONE;

    private int oldest;
    private int entryCount;
    private @Nullable Deque<Waiter> waiters;
    private @Nullable Deque<Waiter> yielding;
    private int inside;
    private boolean alarm;

    RateLimiterQueue(Config.OutboundLimit pace) {
        this.pace = pace;
    }

    boolean admit(long now) {
        if (isFull() || isTooFast(now)) {
            return false;
        }
        inside++;
        if (pace.perSecond() > 0) {
            addEntry(now);
        }
        return true;
    }

    private boolean isFull() {
        return pace.concurrent() > 0 && inside >= pace.concurrent();
    }

    private boolean isTooFast(long now) {
        forgetOld(now);
        return pace.perSecond() > 0 && entryCount >= pace.perSecond();
    }

    private void addEntry(long now) {
        if (entryCount == entries.length) {
            long[] larger = new long[Math.max(1, 2 * entryCount)];
            for (int i = 0; i < entryCount; i++) {
                larger[i] = entries[(oldest + i) % entryCount];
            }
            entries = larger;
            oldest = 0;
        }
        entries[(oldest + entryCount++) % entries.length] = now;
    }

    private void forgetOld(long now) {
        while (entryCount > 0 && now - entries[oldest] >= SECOND) {
            oldest = (oldest + 1) % entries.length;
            entryCount--;
        }
    }

    void leave() {
        inside--;
    }

    /** How long somebody with so many ahead would wait for the pace alone. */
    long pacedWaitNanos(long now, int ahead) {
        if (pace.perSecond() == 0) {
            return 0;
        }
        return untilSlower(now) + (long) ahead / pace.perSecond() * SECOND;
    }

    private long untilSlower(long now) {
        return isTooFast(now) ? entries[oldest] + SECOND - now : 0;
    }

    /** Nanoseconds after which the line wants to be woken, -1 when it need not be. */
    long takeAlarm(long now) {
        if (alarm || isEmpty() || isFull()) {
            return -1;
        }
        alarm = true;
        return untilSlower(now);
    }

    void clearAlarm() {
        alarm = false;
    }

    boolean isIdle() {
        return inside == 0 && isEmpty();
    }

    boolean isForgettable(long now) {
        forgetOld(now);
        return entryCount == 0;
    }

    boolean isEmpty() {
        return ahead(true) == 0;
    }

    /** How many would go before one who comes now. */
    int ahead(boolean yields) {
        return size(waiters) + (yields ? size(yielding) : 0);
    }

    private static int size(@Nullable Deque<Waiter> some) {
        return some == null ? 0 : some.size();
    }

    void add(Waiter waiter) {
        if (waiter.yields) {
            yielding = with(yielding, waiter);
        } else {
            waiters = with(waiters, waiter);
        }
    }

    private static Deque<Waiter> with(@Nullable Deque<Waiter> some, Waiter waiter) {
        Deque<Waiter> more = some == null ? new ArrayDeque<>(4) : some;
        more.add(waiter);
        return more;
    }

    /** The one who has waited longest of those whose turn it is, of a line that is not empty. */
    Waiter next() {
        return Objects.requireNonNull(size(waiters) == 0 ? yielding : waiters).remove();
    }

    boolean remove(Waiter waiter) {
        Deque<Waiter> some = waiter.yields ? yielding : waiters;
        return some != null && some.remove(waiter);
    }
}
