package dev.plumbline.job.coordinate;

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
 * Whose line is checked next on this node: accounts in turn, so many lines at once, and of one host
 * no more than it would be contacted with. A line that has to wait for its host holds nobody up,
 * and the last permits are for accounts of which nothing is being checked. Used on one event loop.
 */
final class LineDispatcher {
    /** One permit in so many is a newcomer's. */
    private static final int NEWCOMERS_SHARE = 8;

    /** Most lines that lie ready for each that is checked: a claim takes as long as a few checks. */
    private static final int AHEAD = 2;

    /** What would lie here for longer is better done by a node that has nothing to do. */
    private static final Duration LONGEST_AHEAD = Duration.ofMillis(500);

    private static final int MEAL = 100;

    private final Vertx vertx;
    private final int permits;
    private final int ordinaryPermits;
    private final int perHost;
    private final Consumer<PendingLine> begin;
    private final Map<Long, ArrayDeque<PendingLine>> ready = new LinkedHashMap<>();
    private final Map<String, ArrayDeque<PendingLine>> waitingForHost = new HashMap<>();
    private final Map<String, Integer> hosts = new HashMap<>();
    private final Map<Long, Integer> active = new HashMap<>();
    private final Map<Long, Integer> parked = new HashMap<>();
    private final SlidingCounter ended;
    private int readyLines;
    private int activeLines;
    private int parkedLines;
    private boolean open = true;

    /**
     * @param permits lines that are checked at once
     * @param perHost lines of one host that are checked at once; 0 for no limit
     * @param begin has a line checked; {@link #end} or {@link #putOff} follows
     * @param nanos a clock as {@link System#nanoTime} is one
     */
    LineDispatcher(Vertx vertx, int permits, int perHost, Consumer<PendingLine> begin, LongSupplier nanos) {
        this.vertx = vertx;
        this.permits = permits;
        this.ordinaryPermits = permits - permits / NEWCOMERS_SHARE;
        this.perHost = perHost;
        this.begin = begin;
        this.ended = new SlidingCounter(nanos, LONGEST_AHEAD);
    }

    void add(PendingLine line) {
        ready.computeIfAbsent(line.chunk().accountId(), id -> new ArrayDeque<>())
                .add(line);
        readyLines++;
    }

    /** Has lines checked while there are permits. */
    void pump() {
        for (PendingLine line = next(); line != null; line = next()) {
            String host = line.host();
            if (line.chunk().lost()) {
                // it may have been called up for a place at its host, which the next in the crowd can have
                nextOf(host);
                continue;
            }
            if (perHost > 0 && hosts.getOrDefault(host, 0) >= perHost) {
                waitingForHost
                        .computeIfAbsent(host, first -> new ArrayDeque<>())
                        .add(line);
                park(line);
                continue;
            }
            activeLines++;
            active.merge(line.chunk().accountId(), 1, Integer::sum);
            if (perHost > 0) {
                hosts.merge(host, 1, Integer::sum);
            }
            begin.accept(line);
        }
    }

    /** The line whose turn it is; null if none can be begun now. */
    private @Nullable PendingLine next() {
        if (!open || activeLines >= permits) {
            return null;
        }
        boolean newcomersOnly = full();
        Iterator<Map.Entry<Long, ArrayDeque<PendingLine>>> accounts =
                ready.entrySet().iterator();
        while (accounts.hasNext()) {
            Map.Entry<Long, ArrayDeque<PendingLine>> turn = accounts.next();
            if (newcomersOnly && active.containsKey(turn.getKey())) {
                continue;
            }
            accounts.remove();
            PendingLine line = turn.getValue().remove();
            if (!turn.getValue().isEmpty()) {
                ready.put(turn.getKey(), turn.getValue());
            }
            readyLines--;
            return line;
        }
        return null;
    }

    /** A line that was begun has ended. */
    void end(PendingLine line) {
        ended.increment();
        leave(line);
    }

    private void leave(PendingLine line) {
        activeLines--;
        decrement(active, line.chunk().accountId());
        if (perHost > 0) {
            decrement(hosts, line.host());
            nextOf(line.host());
        }
    }

    private void nextOf(String host) {
        ArrayDeque<PendingLine> crowd = waitingForHost.get(host);
        while (crowd != null && !crowd.isEmpty()) {
            PendingLine first = crowd.remove();
            unpark(first);
            if (!first.chunk().lost()) {
                add(first);
                break;
            }
        }
        if (crowd != null && crowd.isEmpty()) {
            waitingForHost.remove(host);
        }
    }

    /** A line that was begun found no room: it is ready again after a while. */
    void putOff(PendingLine line, long millis) {
        leave(line);
        park(line);
        vertx.setTimer(millis, due -> {
            unpark(line);
            add(line);
            pump();
        });
    }

    /** Begins no more. */
    void close() {
        open = false;
    }

    /** Whether what is free is kept for accounts of which nothing is being checked. */
    boolean full() {
        return activeLines >= ordinaryPermits;
    }

    /**
     * How many more lines are wanted here: as many as are checked at once, and ready ones for the
     * next half second, so that no permit is idle while others are being claimed and looked up.
     */
    int room() {
        int ahead = Math.min(AHEAD * ordinaryPermits, ended.most());
        return Math.max(0, ordinaryPermits + ahead - inHand());
    }

    /** Whether so many are wanted that it is worth claiming some. */
    boolean hungry() {
        return room() >= Math.min(MEAL, ordinaryPermits);
    }

    /** How many more lines can be begun, newcomers' ones among them. */
    int free() {
        return permits - activeLines;
    }

    /** Lines that have a permit or can have one. */
    int inHand() {
        return readyLines + activeLines;
    }

    int active() {
        return activeLines;
    }

    /** Lines that wait for their host, or for a while to pass. */
    int parked() {
        return parkedLines;
    }

    /** Accounts that have lines here which wait for nothing. */
    Set<Long> busyAccounts() {
        Set<Long> busy = new HashSet<>(ready.keySet());
        busy.addAll(active.keySet());
        return busy;
    }

    /** Accounts of which at least so many lines wait here for something. */
    Set<Long> parkedAccounts(int most) {
        Set<Long> accounts = new HashSet<>();
        parked.forEach((account, lines) -> {
            if (lines >= most) {
                accounts.add(account);
            }
        });
        return accounts;
    }

    private void park(PendingLine line) {
        parkedLines++;
        parked.merge(line.chunk().accountId(), 1, Integer::sum);
    }

    private void unpark(PendingLine line) {
        parkedLines--;
        decrement(parked, line.chunk().accountId());
    }

    private static <K> void decrement(Map<K, Integer> counts, K key) {
        counts.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
    }
}
