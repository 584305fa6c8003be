package dev.plumbline.egress;

import dev.plumbline.check.OverloadFailure;
import dev.plumbline.concurrent.Scheduler;
import dev.plumbline.config.Config;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets so many in at once and so many in any second, for each key by itself. Who finds no room
 * waits in line. Nothing is kept of a key that has been idle for a second. Used from many threads;
 * whoever waited is told on the thread that made room.
 *
 * @param <K> what is counted apart: an address, a network, a domain
 */
public final class KeyedRateLimiter<K> {
    static final int MOST_WAITING = 10_000;
    static final int MOST_WAITING_FOR_ONE = 1_000;

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int SWEPT_AT_ONCE = 1_000;
    private static final long SWEEP_MILLIS = 1_000;
    private static final Future<Void> ENTERED = Future.succeededFuture();

    private record Idle<K>(K key, long since) {}

    private final Config.OutboundLimit pace;
    private final LongSupplier nanoClock;
    private final Scheduler timers;
    private final ConcurrentMap<K, RateLimiterQueue> lines = new ConcurrentHashMap<>();
    private final Queue<Idle<K>> idle = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final AtomicInteger waiting = new AtomicInteger();

    public KeyedRateLimiter(Config.OutboundLimit pace, LongSupplier nanoClock, Scheduler timers) {
        this.pace = pace;
        this.nanoClock = nanoClock;
        this.timers = timers;
    }

    /** Whether it lets everybody in, so that nobody needs to ask. */
    public boolean isOpen() {
        return pace.perSecond() == 0 && pace.concurrent() == 0;
    }

    /** How many keys it knows of. */
    int size() {
        return lines.size();
    }

    /**
     * Enters, at once or after having waited; every entry is followed by one {@link #leave}. Fails
     * with {@link OverloadFailure} when the line is full or the wait too long, and then nothing was
     * entered.
     */
    Future<Void> enter(K key, long mostWaitMillis) {
        return enter(key, mostWaitMillis, false);
    }

    /**
     * The same for somebody who may have to let others go first.
     *
     * @param yields whether those go first who do not
     */
    public Future<Void> enter(K key, long mostWaitMillis, boolean yields) {
        RateLimiterQueue.Waiter waiter = new RateLimiterQueue.Waiter(Promise.promise(), yields);
        OverloadFailure[] refused = new OverloadFailure[1];
        boolean[] entered = new boolean[1];
        lines.compute(key, (same, known) -> {
            RateLimiterQueue line = known == null ? new RateLimiterQueue(pace) : known;
            long now = nanoClock.getAsLong();
            if (line.isEmpty() && line.admit(now)) {
                entered[0] = true;
                return line;
            }
            refused[0] = refusal(line, now, mostWaitMillis, yields);
            if (refused[0] == null) {
                waiting.incrementAndGet();
                line.add(waiter);
            }
            return line;
        });
        if (entered[0]) {
            return ENTERED;
        }
        if (refused[0] != null) {
            return Future.failedFuture(refused[0]);
        }
        Runnable cancel = timers.after(mostWaitMillis, () -> giveUp(key, waiter));
        waiter.promise().future().onComplete(done -> cancel.run());
        setAlarm(key);
        return waiter.promise().future();
    }

    private @Nullable OverloadFailure refusal(RateLimiterQueue line, long now, long mostWaitMillis, boolean yields) {
        int ahead = line.ahead(yields);
        long paced = TimeUnit.NANOSECONDS.toMillis(line.pacedWaitNanos(now, ahead));
        boolean full = waiting.get() >= MOST_WAITING || ahead >= MOST_WAITING_FOR_ONE;
        return full || mostWaitMillis <= 0 || paced > mostWaitMillis ? busy(paced) : null;
    }

    private static OverloadFailure busy(long millis) {
        return new OverloadFailure(
                "The rate limit for this target is reached.", Duration.ofSeconds(Math.max(1, (millis + 999) / 1000)));
    }

    public void leave(K key) {
        wake(key, true);
    }

    private void giveUp(K key, RateLimiterQueue.Waiter waiter) {
        boolean[] gone = new boolean[1];
        lines.computeIfPresent(key, (same, line) -> {
            gone[0] = line.remove(waiter);
            return kept(key, line);
        });
        if (gone[0]) {
            waiting.decrementAndGet();
            waiter.promise().fail(busy(0));
        }
    }

    /** Lets in whoever may enter now, in the order in which they came, who yields last. */
    private void wake(K key, boolean left) {
        List<RateLimiterQueue.Waiter> entering = new ArrayList<>(1);
        lines.computeIfPresent(key, (same, line) -> {
            if (left) {
                line.leave();
            }
            long now = nanoClock.getAsLong();
            while (!line.isEmpty() && line.admit(now)) {
                entering.add(line.next());
            }
            return kept(key, line);
        });
        if (!entering.isEmpty()) {
            waiting.addAndGet(-entering.size());
            entering.forEach(waiter -> waiter.promise().complete());
        }
        setAlarm(key);
    }

    /** Wakes the line when its pace allows the next, unless somebody who leaves will do so. */
    private void setAlarm(K key) {
        if (waiting.get() == 0) {
            return;
        }
        long[] wait = {-1};
        lines.computeIfPresent(key, (same, line) -> {
            wait[0] = line.takeAlarm(nanoClock.getAsLong());
            return line;
        });
        if (wait[0] >= 0) {
            timers.after(wait[0] / 1_000_000 + 1, () -> onAlarm(key));
        }
    }

    private void onAlarm(K key) {
        lines.computeIfPresent(key, (same, line) -> {
            line.clearAlarm();
            return line;
        });
        wake(key, false);
    }

    /** The line, or null when nothing about it is worth keeping. */
    private @Nullable RateLimiterQueue kept(K key, RateLimiterQueue line) {
        if (!line.isIdle()) {
            return line;
        }
        long now = nanoClock.getAsLong();
        if (line.isForgettable(now)) {
            return null;
        }
        idle.add(new Idle<>(key, now));
        if (sweeping.compareAndSet(false, true)) {
            timers.after(SWEEP_MILLIS, this::sweep);
        }
        return line;
    }

    private void sweep() {
        long now = nanoClock.getAsLong();
        int swept = 0;
        for (Idle<K> next = idle.peek();
                next != null && now - next.since() >= SECOND && swept < SWEPT_AT_ONCE;
                next = idle.peek()) {
            idle.remove();
            swept++;
            lines.computeIfPresent(next.key(), (same, line) -> line.isIdle() && line.isForgettable(now) ? null : line);
        }
        sweeping.set(false);
        if (!idle.isEmpty() && sweeping.compareAndSet(false, true)) {
            timers.after(swept == SWEPT_AT_ONCE ? 1 : SWEEP_MILLIS, this::sweep);
        }
    }
}
