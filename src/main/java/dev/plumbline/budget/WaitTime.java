package dev.plumbline.budget;

import org.jspecify.annotations.Nullable;

/**
 * The time in which a check waits. Waits at the same time count once, and those of a part count for the whole check
 * too. Thread-safe.
 */
public final class WaitTime {
    private final @Nullable WaitTime parent;
    private volatile int waits;
    private volatile long endedNanos;
    private long startNanos;

    /** @param parent the wait time of the whole check; null if this is not a part */
    public WaitTime(@Nullable WaitTime parent) {
        this.parent = parent;
    }

    public void start() {
        synchronized (this) {
            if (waits == 0) {
                startNanos = System.nanoTime();
            }
            waits = waits + 1;
        }
        if (parent != null) {
            parent.start();
        }
    }

    public void end() {
        synchronized (this) {
            if (waits == 1) {
                // before the end is visible, because the time must not decrease for readers without the lock
                endedNanos += System.nanoTime() - startNanos;
            }
            waits = waits - 1;
        }
        if (parent != null) {
            parent.end();
        }
    }

    /** The time in nanoseconds, with the present wait. */
    public long nanos() {
        return waits == 0 ? endedNanos : nanosWithPresent();
    }

    private synchronized long nanosWithPresent() {
        return waits == 0 ? endedNanos : endedNanos + System.nanoTime() - startNanos;
    }
}
