package dev.plumbline.job.coordinate;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import dev.plumbline.bus.CheckRouter;
import dev.plumbline.result.TargetLimit;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Selects the next lines of this coordinator: round-robin between accounts, with a limit per run node, per host, and
 * per host and account. A line that waits for its host or its run node does not block others. Confined to an event
 * loop.
 */
final class LineDispatcher {
    private static final int MIN_CLAIM_LINES = 100;

    private final Vertx vertx;
    private final CheckRouter router;
    private final int perHost;
    private final Consumer<PendingLine> start;
    private final LongSupplier nanos;
    private final Map<String, NodeQueue> nodes = new LinkedHashMap<>();

    /** The values of {@link #nodes}, which can change during an iteration. */
    private List<NodeQueue> queues = List.of();

    private List<String> routed = List.of();

    /** Lines that wait because no node runs checks. */
    private final List<PendingLine> unrouted = new ArrayList<>();

    private final Map<String, HostQueue> hosts = new HashMap<>();
    private final Multiset<Long> parkedPerAccount = HashMultiset.create();

    /** Lines that a limit of a target rejected and that have no result yet. */
    private final Set<PendingLine> rejected = new HashSet<>();

    private boolean running = true;

    /**
     * @param router selects the run node of a line, and limits the lines of each node
     * @param perHost maximum number of concurrent lines per host; 0 for no limit
     * @param start starts a line; {@link #complete}, {@link #completeAndRetry} or {@link #defer} must follow
     * @param nanos clock, as {@link System#nanoTime}
     */
    LineDispatcher(Vertx vertx, CheckRouter router, int perHost, Consumer<PendingLine> start, LongSupplier nanos) {
        this.vertx = vertx;
        this.router = router;
        this.perHost = perHost;
        this.start = start;
        this.nanos = nanos;
        update();
    }

    void add(PendingLine line) {
        String node = router.nodeOf(line.target());
        if (node == null) {
            unrouted.add(line);
        } else {
            queue(node).add(line);
        }
    }

    private NodeQueue queue(String node) {
        NodeQueue known = nodes.get(node);
        if (known != null) {
            return known;
        }
        NodeQueue queue = new NodeQueue(() -> router.linePermits(node), nanos);
        nodes.put(node, queue);
        queues = List.copyOf(nodes.values());
        return queue;
    }

    /** Starts lines while permits are available. */
    void dispatch() {
        for (NodeQueue node : queues) {
            for (PendingLine line = next(node); line != null; line = next(node)) {
                start(node, line);
            }
        }
    }

    private @Nullable PendingLine next(NodeQueue node) {
        return running ? node.poll() : null;
    }

    private void start(NodeQueue node, PendingLine line) {
        String host = line.host();
        if (line.chunk().lost()) {
            // the next line of the host can use its permit
            unparkNext(host);
            return;
        }
        HostQueue queue = hosts.computeIfAbsent(host, first -> new HostQueue(perHost));
        if (!queue.tryAcquire(line.chunk().accountId())) {
            queue.await(line);
            park(line);
            return;
        }
        node.start(line.chunk().accountId());
        line.startOn(node);
        start.accept(line);
    }

    /** Returns the permits of a completed line that no limit delayed. */
    void complete(PendingLine line) {
        complete(line, null);
    }

    /**
     * Returns the permits of a completed line.
     *
     * @param limit the limit of a target that delayed the line; null if there is none
     */
    void complete(PendingLine line, @Nullable TargetLimit limit) {
        line.node().countCompletion();
        line.node().release(line.chunk().accountId());
        rejected.remove(line);
        HostQueue queue = hosts.get(line.host());
        if (queue != null) {
            queue.release(line.chunk().accountId(), limit);
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

    /** Returns the permits of a completed line and adds it again after the delay. Its host is not paused. */
    void completeAndRetry(PendingLine line, long millis, @Nullable TargetLimit limit) {
        complete(line, limit);
        park(line);
        vertx.setTimer(millis, fired -> {
            unpark(line);
            add(line);
            dispatch();
        });
    }

    /**
     * Returns the permits of a rejected line and pauses its host, because the limits of the target would reject the
     * other lines of the host too. After the delay, the lines continue in order.
     *
     * @param limit the limit of a target that rejected the line; null if another reason did
     */
    void defer(PendingLine line, long millis, @Nullable TargetLimit limit) {
        line.node().release(line.chunk().accountId());
        park(line);
        line.rejectBy(limit);
        if (limit != null) {
            rejected.add(line);
        }
        String host = line.host();
        HostQueue queue = hosts.computeIfAbsent(host, first -> new HostQueue(perHost));
        queue.release(line.chunk().accountId(), limit);
        if (queue.pause(line)) {
            vertx.setTimer(millis, fired -> resume(host));
        }
    }

    private void resume(String host) {
        HostQueue queue = hosts.get(host);
        if (queue != null) {
            queue.resume();
            int lines = perHost == 0 ? permits() : perHost;
            for (int i = 0; i < lines && hosts.containsKey(host); i++) {
                unparkNext(host);
            }
            dispatch();
        }
    }

    /** Adapts to the present run nodes and their permits, and assigns waiting lines again if the nodes changed. */
    void update() {
        List<String> present = router.nodes();
        if (!present.equals(routed)) {
            routed = List.copyOf(present);
            List<PendingLine> waiting = new ArrayList<>(unrouted);
            unrouted.clear();
            nodes.values().forEach(queue -> queue.drainTo(waiting));
            nodes.entrySet()
                    .removeIf(node ->
                            !routed.contains(node.getKey()) && node.getValue().isEmpty());
            queues = List.copyOf(nodes.values());
            routed.forEach(this::queue);
            waiting.forEach(this::add);
        }
        dispatch();
    }

    /** Starts no more lines. */
    void close() {
        running = false;
    }

    /** The number of lines to claim: enough to use all permits for half a second. */
    int capacity() {
        return routed.stream().mapToInt(node -> queue(node).capacity()).sum();
    }

    /** Whether enough capacity is available for a claim, or a node has so much that it would soon be idle. */
    boolean shouldClaim() {
        int capacity = 0;
        for (String node : routed) {
            NodeQueue queue = queue(node);
            int own = queue.capacity();
            if (own > 0 && own >= Math.min(MIN_CLAIM_LINES, queue.sharedPermits()) / routed.size()) {
                return true;
            }
            capacity += own;
        }
        return capacity >= MIN_CLAIM_LINES;
    }

    private int permits() {
        return queues.stream().mapToInt(NodeQueue::permits).sum();
    }

    /** The number of available permits, including reserved ones. */
    int availablePermits() {
        return routed.stream()
                .map(this::queue)
                .mapToInt(node -> Math.max(0, node.permits() - node.active()))
                .sum();
    }

    int readyAndActive() {
        return unrouted.size()
                + queues.stream().mapToInt(node -> node.ready() + node.active()).sum();
    }

    int active() {
        return queues.stream().mapToInt(NodeQueue::active).sum();
    }

    /** The number of lines that are not active. */
    int waiting() {
        return readyAndActive() - active() + parkedPerAccount.size();
    }

    /** The number of lines that wait for their host, a retry or a busy node while other nodes have capacity. */
    int parked() {
        return parkedPerAccount.size()
                + surplusNodes().mapToInt(NodeQueue::surplus).sum();
    }

    /** The lines that wait for limits of targets, by job. A rejected line waits until it has a result. */
    Map<Long, Multiset<TargetLimit>> waitingForTargets() {
        Map<Long, Multiset<TargetLimit>> waiting = new HashMap<>();
        rejected.removeIf(line -> line.chunk().lost());
        for (PendingLine line : rejected) {
            count(waiting, line, line.limit());
        }
        hosts.forEach((host, queue) -> {
            TargetLimit limit = queue.limit(host);
            queue.waiting()
                    .filter(line -> !line.chunk().lost() && !rejected.contains(line))
                    .forEach(line -> count(waiting, line, limit));
        });
        return waiting;
    }

    private static void count(Map<Long, Multiset<TargetLimit>> waiting, PendingLine line, @Nullable TargetLimit limit) {
        if (limit != null) {
            waiting.computeIfAbsent(line.chunk().id().job(), first -> HashMultiset.create())
                    .add(limit);
        }
    }

    /** Accounts with ready or active lines. */
    Set<Long> activeAccounts() {
        Set<Long> accounts = new HashSet<>();
        for (NodeQueue node : queues) {
            accounts.addAll(node.readyAccounts());
            accounts.addAll(node.activeByAccount().elementSet());
        }
        return accounts;
    }

    Set<Long> accountsWithParked(int min) {
        Multiset<Long> parked = HashMultiset.create(parkedPerAccount);
        surplusNodes()
                .forEach(node -> node.readyAccounts().forEach(account -> parked.add(account, node.ready(account))));
        Set<Long> accounts = new HashSet<>(parked.elementSet());
        accounts.removeIf(account -> parked.count(account) < min);
        return accounts;
    }

    /** Nodes with more ready lines than they need soon. On a single node, claims end instead. */
    private Stream<NodeQueue> surplusNodes() {
        return routed.size() > 1 ? queues.stream().filter(node -> node.surplus() > 0) : Stream.empty();
    }

    private void park(PendingLine line) {
        parkedPerAccount.add(line.chunk().accountId());
    }

    private void unpark(PendingLine line) {
        parkedPerAccount.remove(line.chunk().accountId());
    }
}
