package dev.plumbline.job.coordinate;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Selects the next line on this node: round-robin between accounts, with a limit per node, per host, and per host and
 * account. A line that waits for its host does not block others. The last permits are reserved for accounts without
 * active lines. Confined to an event loop.
 */
final class LineDispatcher {
    /** One of this many permits is reserved for new accounts. */
    private static final int RESERVED_SHARE = 8;

    /** Maximum number of ready lines per permit. */
    private static final int PREFETCH_FACTOR = 2;

    /** Lines that would wait longer are left to other nodes. */
    private static final Duration PREFETCH_WINDOW = Duration.ofMillis(500);

    private static final int MIN_CLAIM_LINES = 100;

    private final Vertx vertx;
    private final int permits;
    private final int sharedPermits;
    private final int perHost;
    private final Consumer<PendingLine> start;
    private final Map<Long, ArrayDeque<PendingLine>> ready = new LinkedHashMap<>();
    private final Map<String, HostQueue> hosts = new HashMap<>();
    private final Multiset<Long> activePerAccount = HashMultiset.create();
    private final Multiset<Long> parkedPerAccount = HashMultiset.create();
    private final SlidingCounter completions;
    private int readyLines;
    private boolean running = true;

    /**
     * @param permits maximum number of concurrent lines
     * @param perHost maximum number of concurrent lines per host; 0 for no limit
     * @param start starts a line; {@link #complete} or {@link #defer} must follow
     * @param nanos clock, as {@link System#nanoTime}
     */
    LineDispatcher(Vertx vertx, int permits, int perHost, Consumer<PendingLine> start, LongSupplier nanos) {
        this.vertx = vertx;
        this.permits = permits;
        this.sharedPermits = permits - permits / RESERVED_SHARE;
        this.perHost = perHost;
        this.start = start;
        this.completions = new SlidingCounter(nanos, PREFETCH_WINDOW);
    }

    void add(PendingLine line) {
        ready.computeIfAbsent(line.chunk().accountId(), id -> new ArrayDeque<>())
                .add(line);
        readyLines++;
    }

    /** Starts lines while permits are available. */
    void dispatch() {
        for (PendingLine line = next(); line != null; line = next()) {
            String host = line.host();
            if (line.chunk().lost()) {
                // the next line of the host can use its permit
                unparkNext(host);
                continue;
            }
            HostQueue queue = hosts.computeIfAbsent(host, first -> new HostQueue(perHost));
            if (!queue.tryAcquire(line.chunk().accountId())) {
                queue.await(line);
                park(line);
                continue;
            }
            activePerAccount.add(line.chunk().accountId());
            start.accept(line);
        }
    }

    /** The next line; null if none can start. */
    private @Nullable PendingLine next() {
        if (!running || active() >= permits) {
            return null;
        }
        boolean newAccountsOnly = sharedPermitsUsed();
        Iterator<Map.Entry<Long, ArrayDeque<PendingLine>>> accounts =
                ready.entrySet().iterator();
        while (accounts.hasNext()) {
            Map.Entry<Long, ArrayDeque<PendingLine>> entry = accounts.next();
            if (newAccountsOnly && activePerAccount.contains(entry.getKey())) {
                continue;
            }
            accounts.remove();
            PendingLine line = entry.getValue().remove();
            if (!entry.getValue().isEmpty()) {
                ready.put(entry.getKey(), entry.getValue());
            }
            readyLines--;
            return line;
        }
        return null;
    }

    /** Returns the permit of a completed line. */
    void complete(PendingLine line) {
        completions.increment();
        release(line);
    }

    private void release(PendingLine line) {
        activePerAccount.remove(line.chunk().accountId());
        HostQueue queue = hosts.get(line.host());
        if (queue != null) {
            queue.release(line.chunk().accountId());
        }
        unparkNext(line.host());
    }

    private void unparkNext(String host) {
        HostQueue queue = hosts.get(host);
        if (queue == null) {
            return;
        }
        PendingLine next = queue.poll(this::unpark);
        if (next != null) {
            unpark(next);
            add(next);
        }
        if (queue.isEmpty()) {
            hosts.remove(host);
        }
    }

    /**
     * Returns the permit of a rejected line and pauses its host, because the limits of the target would reject the
     * other lines of the host too. After the delay, the lines continue in order.
     */
    void defer(PendingLine line, long millis) {
        activePerAccount.remove(line.chunk().accountId());
        park(line);
        String host = line.host();
        HostQueue queue = hosts.computeIfAbsent(host, first -> new HostQueue(perHost));
        queue.release(line.chunk().accountId());
        if (queue.pause(line)) {
            vertx.setTimer(millis, fired -> resume(host));
        }
    }

    private void resume(String host) {
        HostQueue queue = hosts.get(host);
        if (queue != null) {
            queue.resume();
            int lines = perHost == 0 ? permits : perHost;
            for (int i = 0; i < lines && hosts.containsKey(host); i++) {
                unparkNext(host);
            }
            dispatch();
        }
    }

    /** Starts no more lines. */
    void close() {
        running = false;
    }

    /** Whether only the permits for new accounts are available. */
    boolean sharedPermitsUsed() {
        return active() >= sharedPermits;
    }

    /** The number of lines to claim: enough to use all permits for half a second. */
    int capacity() {
        int prefetch = Math.min(PREFETCH_FACTOR * sharedPermits, completions.max());
        return Math.max(0, sharedPermits + prefetch - readyAndActive());
    }

    /** Whether enough capacity is available for a claim. */
    boolean shouldClaim() {
        return capacity() >= Math.min(MIN_CLAIM_LINES, sharedPermits);
    }

    /** The number of available permits, including reserved ones. */
    int availablePermits() {
        return permits - active();
    }

    /** The number of ready and active lines. */
    int readyAndActive() {
        return readyLines + active();
    }

    int active() {
        return activePerAccount.size();
    }

    /** The number of lines that wait for their host or a retry. */
    int parked() {
        return parkedPerAccount.size();
    }

    /** Accounts with ready or active lines. */
    Set<Long> activeAccounts() {
        Set<Long> accounts = new HashSet<>(ready.keySet());
        accounts.addAll(activePerAccount.elementSet());
        return accounts;
    }

    /** Accounts with at least {@code min} parked lines. */
    Set<Long> accountsWithParked(int min) {
        Set<Long> accounts = new HashSet<>(parkedPerAccount.elementSet());
        accounts.removeIf(account -> parkedPerAccount.count(account) < min);
        return accounts;
    }

    private void park(PendingLine line) {
        parkedPerAccount.add(line.chunk().accountId());
    }

    private void unpark(PendingLine line) {
        parkedPerAccount.remove(line.chunk().accountId());
    }
}
