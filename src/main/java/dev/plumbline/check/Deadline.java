package dev.plumbline.check;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A point in time on a monotonic clock. */
public final class Deadline {
    private final LongSupplier nanoClock;
    private final long endNanos;

    private Deadline(LongSupplier nanoClock, long endNanos) {
        this.nanoClock = nanoClock;
        this.endNanos = endNanos;
    }

    public static Deadline in(long millis) {
        return in(millis, System::nanoTime);
    }

    public static Deadline in(long millis, LongSupplier nanoClock) {
        return new Deadline(nanoClock, nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Returns the remaining milliseconds, rounded up; 0 after the deadline. */
    public long remainingMillis() {
        long remaining = endNanos - nanoClock.getAsLong();
        return remaining <= 0 ? 0 : (remaining + 999_999) / 1_000_000;
    }

    public boolean passed() {
        return endNanos - nanoClock.getAsLong() <= 0;
    }

    /** Returns the earlier of this deadline and {@code millis} milliseconds from now. */
    public Deadline atMost(long millis) {
        long end = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis);
        return end - endNanos < 0 ? new Deadline(nanoClock, end) : this;
    }

    /**
     * As {@link #atMost(long)}, but the milliseconds do not include waits.
     *
     * @param waitedNanos the time of the waits so far in nanoseconds, which does not decrease
     */
    public Deadline atMost(long millis, LongSupplier waitedNanos) {
        long maxExtension = endNanos - nanoClock.getAsLong() - TimeUnit.MILLISECONDS.toNanos(millis);
        return maxExtension <= 0
                ? this
                : in(millis, () -> nanoClock.getAsLong() - Math.min(waitedNanos.getAsLong(), maxExtension));
    }
}
