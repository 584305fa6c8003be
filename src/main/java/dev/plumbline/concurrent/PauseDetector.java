package dev.plumbline.concurrent;

import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Detects pauses of the process or of an event loop (SIGSTOP, a suspended virtual machine, swapping): after a pause, a
 * periodic timer is late. Thread-safe.
 */
public final class PauseDetector {
    private static final long PERIOD_MS = 500;

    private final LongSupplier nanos;
    private final long minNanos;
    private long latestTick;
    private long pauseEnd;

    /**
     * @param min the shortest pause that is detected
     * @param nanos clock, as {@link System#nanoTime}
     */
    public PauseDetector(Vertx vertx, Duration min, LongSupplier nanos) {
        this.nanos = nanos;
        this.minNanos = min.toNanos();
        this.latestTick = nanos.getAsLong();
        this.pauseEnd = latestTick;
        vertx.setPeriodic(PERIOD_MS, fired -> tick());
    }

    private synchronized void tick() {
        long now = nanos.getAsLong();
        if (now - latestTick >= minNanos) {
            pauseEnd = now;
        }
        latestTick = now;
    }

    /** Whether a pause ended after the given time. */
    public synchronized boolean pausedSince(long startNanos) {
        tick();
        return pauseEnd - startNanos > 0;
    }
}
