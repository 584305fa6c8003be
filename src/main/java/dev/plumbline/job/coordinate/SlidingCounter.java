package dev.plumbline.job.coordinate;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Counts events in the current and the previous time window. Confined to an event loop. */
final class SlidingCounter {
    private final LongSupplier nanos;
    private final long window;
    private long windowStart;
    private int previous;
    private int current;

    /** @param nanos clock, as {@link System#nanoTime} */
    SlidingCounter(LongSupplier nanos, Duration window) {
        this.nanos = nanos;
        this.window = window.toNanos();
        this.windowStart = nanos.getAsLong();
    }

    void increment() {
        advance();
        current++;
    }

    /** The greater count of the current and the previous window. */
    int max() {
        advance();
        return Math.max(previous, current);
    }

    private void advance() {
        long age = nanos.getAsLong() - windowStart;
        if (age >= window) {
            previous = age < 2 * window ? current : 0;
            current = 0;
            windowStart += age - age % window;
        }
    }
}
