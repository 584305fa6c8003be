package dev.plumbline.budget;

import dev.plumbline.concurrent.ContextFutures;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * A limit on the memory of a node, in bytes, for example of its checks and result streams. A holder reserves memory
 * before it stores data. One client holds at most a share of the budget. A part of it is reserved for small holders, so
 * that large ones do not delay them. Thread-safe.
 */
public final class MemoryBudget {
    /** The maximum memory of one check, in bytes. */
    public static final long CHECK_BYTES = 16L << 20;

    /**
     * The time for which a holder waits for memory. After that it is refused, so that checks do not block each other.
     */
    public static final long MAX_WAIT_MS = 1_000;

    /** In a service, one client holds at most a quarter of the budget. */
    public static final int CLIENT_SHARE = 4;

    /** A heap of this size or less has no budget beyond {@link #MIN_BYTES}; caches and the program occupy it. */
    private static final long FIXED_BYTES = 128L << 20;

    private static final long MIN_BYTES = 64L << 20;

    private static final int MAX_WAITING = 4_096;

    /** A holder with this memory or less, such as a check without a large response, is small. */
    private static final long SMALL_BYTES = 64L << 10;

    /** Divisor: an eighth of the budget is reserved for small holders. */
    private static final int SMALL_SHARE = 8;

    /** Divisor: memory is scarce if less than a quarter of the budget is left. */
    private static final int SCARCE_SHARE = 4;

    private final Vertx vertx;
    private final long total;
    private final long perClient;
    private final Map<String, Long> heldByClient = new HashMap<>();
    private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
    private volatile long held;

    private record Waiter(MemoryHolder holder, long bytes, long holderBytes, Promise<Void> granted) {}

    /**
     * @param bytes the size of the budget
     * @param clientShare divisor of the budget, at least 1: one client holds at most {@code bytes / clientShare}
     */
    public MemoryBudget(Vertx vertx, long bytes, int clientShare) {
        this.vertx = vertx;
        this.total = bytes;
        this.perClient = bytes / clientShare;
    }

    /**
     * The budget for a heap: half of what the program and its caches leave.
     *
     * @param heapBytes the maximum size of the heap
     */
    public static long bytesOf(long heapBytes) {
        return Math.max(MIN_BYTES, (heapBytes - FIXED_BYTES) / 2);
    }

    /**
     * Opens a holder without reserved memory.
     *
     * @param client the client or account for which the memory is used
     * @param maxBytes maximum memory of the holder
     */
    public MemoryHolder open(String client, long maxBytes) {
        return new MemoryHolder(this, client, Math.min(maxBytes, perClient), null);
    }

    public long total() {
        return total;
    }

    /** The reserved bytes. */
    public long held() {
        return held;
    }

    /** Whether so little memory is left that checks in progress may not be able to grow. */
    public boolean isScarce() {
        return held > total - total / SCARCE_SHARE;
    }

    public synchronized int waiting() {
        return waiting.size();
    }

    /** @param holderBytes the memory that the holder will have */
    synchronized boolean take(String client, long bytes, long holderBytes) {
        long own = heldByClient.getOrDefault(client, 0L);
        long limit = holderBytes <= SMALL_BYTES ? total : total - total / SMALL_SHARE;
        if (held + bytes > limit || own + bytes > perClient) {
            return false;
        }
        held += bytes;
        heldByClient.put(client, own + bytes);
        return true;
    }

    /** Waits for memory that is not available now. Completes on the caller's context. */
    Future<Void> await(MemoryHolder holder, long bytes, long timeoutMs) {
        Waiter waiter = new Waiter(holder, bytes, holder.held() + bytes, Promise.promise());
        boolean queued = false;
        synchronized (this) {
            // memory can have been released since the holder tried
            if (!take(waiter)) {
                if (waiting.size() >= MAX_WAITING) {
                    return Future.failedFuture(exhausted());
                }
                queued = waiting.add(waiter);
            }
        }
        if (!queued) {
            grant(waiter);
            return waiter.granted.future();
        }
        long timer = vertx.setTimer(Math.max(1, timeoutMs), fired -> refuse(waiter));
        return ContextFutures.onCallerContext(waiter.granted.future()).onComplete(done -> vertx.cancelTimer(timer));
    }

    private boolean take(Waiter waiter) {
        return take(waiter.holder.client(), waiter.bytes, waiter.holderBytes);
    }

    private void refuse(Waiter waiter) {
        synchronized (this) {
            if (!waiting.remove(waiter)) {
                return;
            }
        }
        waiter.granted.tryFail(exhausted());
    }

    static NodeExhaustedException exhausted() {
        return new NodeExhaustedException("The memory for checks is exhausted.");
    }

    void release(String client, long bytes) {
        if (bytes == 0) {
            return;
        }
        List<Waiter> granted = new ArrayList<>();
        synchronized (this) {
            held -= bytes;
            heldByClient.computeIfPresent(client, (key, own) -> own == bytes ? null : Long.valueOf(own - bytes));
            for (Iterator<Waiter> each = waiting.iterator(); each.hasNext(); ) {
                Waiter waiter = each.next();
                if (take(waiter)) {
                    each.remove();
                    granted.add(waiter);
                }
            }
        }
        granted.forEach(MemoryBudget::grant);
    }

    private static void grant(Waiter waiter) {
        if (waiter.holder.add(waiter.bytes)) {
            waiter.granted.tryComplete();
        } else {
            waiter.granted.tryFail(exhausted());
        }
    }
}
