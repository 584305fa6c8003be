package dev.plumbline.probe.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of response bodies may be held while they are being read, by all exchanges of a
 * node together: what each may hold adds up. Thread-safe.
 */
public final class BodyBudget {
    private final AtomicLong left;

    public BodyBudget(long bytes) {
        left = new AtomicLong(bytes);
    }

    /** Whether there was room for that many bytes, which are taken then. */
    boolean take(int bytes) {
        if (left.addAndGet(-bytes) >= 0) {
            return true;
        }
        left.addAndGet(bytes);
        return false;
    }

    void give(int bytes) {
        left.addAndGet(bytes);
    }

    long left() {
        return left.get();
    }
}
