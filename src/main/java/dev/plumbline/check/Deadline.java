package dev.plumbline.check;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A moment by which something must have ended, by a clock that never jumps. */
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

    /** Milliseconds left, rounded up; 0 once it has passed. */
    public long remainingMillis() {
        long left = endNanos - nanoClock.getAsLong();
        return left <= 0 ? 0 : (left + 999_999) / 1_000_000;
    }

    public boolean passed() {
        return endNanos - nanoClock.getAsLong() <= 0;
    }

    /** The earlier of this deadline and one that many milliseconds from now. */
    public Deadline atMost(long millis) {
        long end = nanoClock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis);
        return end - endNanos < 0 ? new Deadline(nanoClock, end) : this;
    }
}
