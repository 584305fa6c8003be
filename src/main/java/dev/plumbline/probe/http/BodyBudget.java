package dev.plumbline.probe.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory for response bodies that are being read, shared by all exchanges of a node. Half of it is reserved for
 * bodies of up to {@link #LARGE_BYTES}, because a few large ones that never end would otherwise stop all others.
 * Thread-safe.
 */
public final class BodyBudget {
    static final int LARGE_BYTES = 1024 * 1024;

    private final AtomicLong remaining;
    private final long reserved;

    public BodyBudget(long bytes) {
        remaining = new AtomicLong(bytes);
        reserved = bytes / 2;
    }

    /**
     * Reserves this many bytes; false if they are not available.
     *
     * @param size the size of the body with these bytes
     */
    boolean acquire(int bytes, int size) {
        if (remaining.addAndGet(-bytes) >= (size > LARGE_BYTES ? reserved : 0)) {
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
