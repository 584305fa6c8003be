package dev.plumbline.check;

import dev.plumbline.budget.WaitTime;
import dev.plumbline.result.LimitWait;
import dev.plumbline.result.TargetLimit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The waits of one check for limits of targets. Concurrent waits count once, and those of a part count for the whole
 * check too. Thread-safe.
 */
public final class LimitWaits {
    private final @Nullable LimitWaits whole;
    private final WaitTime time;
    private @Nullable TargetLimit longest;
    private long longestNanos;

    /** The number of requests of other parts for which this part waits. */
    private int joined;

    private long joinedStartNanos;
    private long joinedNanos;

    /** @param whole the waits of the whole check; null if this is not a part */
    LimitWaits(@Nullable LimitWaits whole) {
        this.whole = whole;
        this.time = new WaitTime(whole == null ? null : whole.time);
    }

    /**
     * Starts a wait.
     *
     * @return ends the wait; receives the limit, or null if it is not known or did not cause the wait
     */
    public Consumer<@Nullable TargetLimit> start() {
        long startNanos = System.nanoTime();
        time.start();
        return limit -> {
            time.end();
            if (limit != null) {
                record(limit, System.nanoTime() - startNanos);
            }
        };
    }

    /** The time of all waits in nanoseconds, with those in progress. */
    public long nanos() {
        return time.nanos();
    }

    /**
     * Starts to wait for a request of another part. Until the end of this wait, the waits of the whole check extend the
     * deadline of this part too.
     *
     * @return ends the wait; has no effect after the first call
     */
    public Runnable join() {
        if (whole == null) {
            return () -> {};
        }
        synchronized (this) {
            if (joined == 0) {
                joinedStartNanos = whole.nanos();
            }
            joined++;
        }
        AtomicBoolean ended = new AtomicBoolean();
        return () -> {
            if (ended.compareAndSet(false, true)) {
                endJoin();
            }
        };
    }

    private synchronized void endJoin() {
        joined--;
        if (joined == 0) {
            joinedNanos += wholeNanosSinceJoin();
        }
    }

    private long wholeNanosSinceJoin() {
        return whole == null ? 0 : whole.nanos() - joinedStartNanos;
    }

    /**
     * The time in nanoseconds by which the deadline is extended: all waits of this check or part, and those of other
     * parts for whose requests it waits.
     */
    public synchronized long extensionNanos() {
        return time.nanos() + joinedNanos + (joined == 0 ? 0 : wholeNanosSinceJoin());
    }

    private void record(TargetLimit limit, long nanos) {
        synchronized (this) {
            if (longest == null || nanos > longestNanos) {
                longest = limit;
                longestNanos = nanos;
            }
        }
        if (whole != null) {
            whole.record(limit, nanos);
        }
    }

    /**
     * The time of all waits, with those in progress.
     *
     * @param durationMs the duration of the check so far, in milliseconds
     */
    public synchronized LimitWait total(long durationMs) {
        return new LimitWait(Math.min(durationMs, TimeUnit.NANOSECONDS.toMillis(time.nanos())), longest);
    }
}
