package dev.plumbline.budget;

import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** The memory that one check, or one part of a composite check, has reserved. Thread-safe. */
public final class MemoryHolder implements AutoCloseable {
    /** Smaller reservations are taken from the budget in blocks of this size, because checks make many of them. */
    private static final long BLOCK_BYTES = 4L << 10;

    private static final MemoryHolder UNLIMITED = new MemoryHolder(null, "", Long.MAX_VALUE, null);

    private final @Nullable MemoryBudget budget;
    private final String client;
    private final long max;
    private final @Nullable MemoryHolder parent;
    private final WaitTime waitTime;
    private long held;

    /** The unused part of the latest block, in bytes. */
    private long spare;

    private long heldByParts;
    private long peak;
    private boolean closed;
    private volatile boolean refused;

    MemoryHolder(@Nullable MemoryBudget budget, String client, long max, @Nullable MemoryHolder parent) {
        this.budget = budget;
        this.client = client;
        this.max = max;
        this.parent = parent;
        this.waitTime = new WaitTime(parent == null ? null : parent.waitTime);
    }

    /** Memory without a limit, for work that is not a check. */
    public static MemoryHolder unlimited() {
        return UNLIMITED;
    }

    /** The memory of a part, which counts against the limit of this holder until the part is closed. */
    public MemoryHolder part() {
        return budget == null ? this : new MemoryHolder(budget, client, max, this);
    }

    /** The memory of the whole check: that of the composite check if this is the memory of a part. */
    public MemoryHolder whole() {
        return parent == null ? this : parent;
    }

    /**
     * Reserves memory at once.
     *
     * @return false if the node has no memory left, or the holder is closed
     * @throws LimitExceededException if the holder would exceed its own limit
     */
    public boolean tryReserve(long bytes) throws LimitExceededException {
        if (budget == null || bytes == 0) {
            return true;
        }
        checkLimit(bytes);
        if (takeSpare(bytes)) {
            return true;
        }
        long block = Math.max(bytes, BLOCK_BYTES);
        return budget.take(client, block, held() + bytes) && add(bytes, block - bytes);
    }

    private synchronized boolean takeSpare(long bytes) {
        if (bytes > spare) {
            return false;
        }
        spare -= bytes;
        addHeld(bytes);
        return true;
    }

    /**
     * Reserves memory, and waits for it up to {@link MemoryBudget#MAX_WAIT_MS}. Fails with
     * {@link LimitExceededException} if the holder would exceed its own limit, and with {@link NodeExhaustedException}
     * if there is no memory in this time.
     */
    public Future<Void> reserve(long bytes) {
        return reserve(bytes, MemoryBudget.MAX_WAIT_MS);
    }

    /** As {@link #reserve(long)}, with another timeout in milliseconds. */
    public Future<Void> reserve(long bytes, long timeoutMs) {
        try {
            if (tryReserve(bytes)) {
                return Future.succeededFuture();
            }
        } catch (LimitExceededException own) {
            return Future.failedFuture(own);
        }
        if (budget == null || isClosed()) {
            return Future.failedFuture(MemoryBudget.exhausted());
        }
        waitTime.start();
        return budget.await(this, bytes, timeoutMs)
                .onComplete(done -> waitTime.end())
                .onFailure(cause -> refuse());
    }

    /** The time in nanoseconds in which this holder, or one of its parts, waited for memory. */
    public long waitedNanos() {
        return waitTime.nanos();
    }

    /** Marks the holder as refused. Also called for memory outside the budget, such as network buffers. */
    public void refuse() {
        if (isClosed()) {
            return; // the check has its result
        }
        refused = true;
        if (parent != null) {
            parent.refuse();
        }
    }

    /** Whether the node had no memory for this holder, or for one of its parts. */
    public boolean refused() {
        return refused;
    }

    /** Releases memory that was reserved. */
    public void release(long bytes) {
        if (budget == null) {
            return;
        }
        long released;
        synchronized (this) {
            released = closed ? 0 : Math.min(bytes, held);
            held -= released;
        }
        if (parent != null) {
            parent.removeOfPart(released);
        }
        budget.release(client, released);
    }

    /** Releases all memory except that of parts. Later reservations fail. */
    @Override
    public void close() {
        if (budget == null) {
            return;
        }
        long released;
        long unused;
        synchronized (this) {
            released = held;
            unused = spare;
            held = 0;
            spare = 0;
            closed = true;
        }
        if (parent != null) {
            parent.removeOfPart(released);
        }
        budget.release(client, released + unused);
    }

    String client() {
        return client;
    }

    /** The largest number of bytes that were reserved at one time. */
    public synchronized long peak() {
        return peak;
    }

    private void checkLimit(long bytes) throws LimitExceededException {
        MemoryHolder limited = whole();
        if (limited.held() + bytes > limited.max) {
            throw new LimitExceededException(
                    "The responses exceed the limit of " + (limited.max >> 20) + " MiB of memory for each check.");
        }
    }

    /** The memory of this holder and its parts. */
    synchronized long held() {
        return held + heldByParts;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Counts memory that was taken from the budget; returns it if the holder is closed. */
    boolean add(long bytes) {
        return add(bytes, 0);
    }

    private boolean add(long bytes, long unused) {
        synchronized (this) {
            if (!closed) {
                spare += unused;
                addHeld(bytes);
                return true;
            }
        }
        if (budget != null) {
            budget.release(client, bytes + unused);
        }
        return false;
    }

    private void addHeld(long bytes) {
        held += bytes;
        peak = Math.max(peak, held + heldByParts);
        if (parent != null) {
            parent.addOfPart(bytes);
        }
    }

    private synchronized void addOfPart(long bytes) {
        heldByParts += bytes;
        peak = Math.max(peak, held + heldByParts);
    }

    private synchronized void removeOfPart(long bytes) {
        heldByParts -= bytes;
    }
}
