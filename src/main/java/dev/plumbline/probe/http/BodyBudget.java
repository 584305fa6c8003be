package dev.plumbline.probe.http;

import java.util.concurrent.atomic.AtomicLong;

/** The memory for response bodies that are being read, shared by all exchanges of a node. Thread-safe. */
public final class BodyBudget {
    private final AtomicLong remaining;

    public BodyBudget(long bytes) {
        remaining = new AtomicLong(bytes);
    }

    /** Reserves this many bytes; false if they are not available. */
    boolean acquire(int bytes) {
        if (remaining.addAndGet(-bytes) >= 0) {
            return true;
        }
        remaining.addAndGet(bytes);
        return false;
    }

    void release(int bytes) {
        remaining.addAndGet(bytes);
    }

    long remaining() {
        return remaining.get();
    }
}
