package dev.plumbline.job.coordinate;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import dev.plumbline.concurrent.FairQueue;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The lines for one run node: active lines, limited by its permits, and ready lines, served round-robin between
 * accounts. The last permits are reserved for accounts without active lines. Confined to an event loop.
 */
final class NodeQueue {
    /** One of this many permits is reserved for new accounts. */
    private static final int RESERVED_SHARE = 8;

    /** Maximum number of ready lines per permit. */
    private static final int PREFETCH_FACTOR = 2;

    /** Lines that would wait longer are left to other coordinators. */
    private static final Duration PREFETCH_WINDOW = Duration.ofMillis(500);

    private final IntSupplier permits;
    private final FairQueue<Long, PendingLine> ready = new FairQueue<>();
    private final Multiset<Long> active = HashMultiset.create();
    private final SlidingCounter completions;

    /**
     * @param permits maximum number of active lines at present
     * @param nanos clock, as {@link System#nanoTime}
     */
    NodeQueue(IntSupplier permits, LongSupplier nanos) {
        this.permits = permits;
        this.completions = new SlidingCounter(nanos, PREFETCH_WINDOW);
    }

    void add(PendingLine line) {
        ready.offer(line.chunk().accountId(), line);
    }

    /** Removes and returns the next line; null if none can start. */
    @Nullable
    PendingLine poll() {
        int most = permits.getAsInt();
        if (ready.isEmpty() || active() >= most) {
            return null;
        }
        boolean newAccountsOnly = active() >= shared(most);
        return ready.poll(account -> !newAccountsOnly || !active.contains(account));
    }

    void drainTo(List<PendingLine> lines) {
        ready.drainTo(lines);
    }

    void start(long account) {
        active.add(account);
    }

    void release(long account) {
        active.remove(account);
    }

    void countCompletion() {
        completions.increment();
    }

    int permits() {
        return permits.getAsInt();
    }

    /** The number of permits that are not reserved for new accounts. */
    int sharedPermits() {
        return shared(permits());
    }

    private static int shared(int permits) {
        return permits - permits / RESERVED_SHARE;
    }

    /** The number of lines that can be added: enough to use all permits for half a second. */
    int capacity() {
        return Math.max(0, sharedPermits() + prefetch() - active() - ready.size());
    }

    /** The number of ready lines above the prefetch, which other nodes could have started. */
    int surplus() {
        return Math.max(0, ready.size() - prefetch());
    }

    private int prefetch() {
        return Math.min(PREFETCH_FACTOR * sharedPermits(), completions.max());
    }

    int active() {
        return active.size();
    }

    int ready() {
        return ready.size();
    }

    Set<Long> readyAccounts() {
        return ready.keys();
    }

    int ready(long account) {
        return ready.size(account);
    }

    Multiset<Long> activeByAccount() {
        return active;
    }

    boolean isEmpty() {
        return ready.isEmpty() && active.isEmpty();
    }
}
