package dev.plumbline.job.coordinate;

import java.time.Duration;
import java.util.function.LongSupplier;

/** How often something happened of late. Used on one event loop. */
final class SlidingCounter {
    private final LongSupplier nanos;
    private final long window;
    private long began;
    private int before;
    private int now;

    /**
     * @param nanos a clock as {@link System#nanoTime} is one
     */
    SlidingCounter(LongSupplier nanos, Duration window) {
        this.nanos = nanos;
        this.window = window.toNanos();
        this.began = nanos.getAsLong();
    }

    void increment() {
        turn();
        now++;
    }

    /** The larger of this window, as far as it has come, and the one before it. */
    int most() {
        turn();
        return Math.max(before, now);
    }

    private void turn() {
        long age = nanos.getAsLong() - began;
        if (age >= window) {
            before = age < 2 * window ? now : 0;
            now = 0;
            began += age - age % window;
        }
    }
}
