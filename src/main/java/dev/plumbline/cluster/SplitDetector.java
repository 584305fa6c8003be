package dev.plumbline.cluster;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects a split: members, registered nodes and run nodes that send messages differ, or two nodes have the same name.
 * Nodes that are joining are not compared. Confined to a context.
 */
final class SplitDetector {
    /**
     * The time in which two nodes can connect for the first time. On a machine under load, nodes that start together
     * form several clusters that merge one after another, and deploy their runners late.
     */
    static final Duration JOIN_TIMEOUT = Duration.ofMinutes(2);

    private static final Logger LOG = LoggerFactory.getLogger(SplitDetector.class);

    private final LongSupplier nanoClock;

    /** A difference that lasts longer is reported. */
    private final Duration splitAfter;

    private final long startNanos;

    /** The age of the registration of each node that was connected since then. */
    private final Map<String, Long> connectedAges = new HashMap<>();

    private long comparedNanos;
    private long agreedNanos;
    private boolean split;

    /**
     * @param nanoClock as {@link System#nanoTime}
     * @param lease the duration of the leases
     */
    SplitDetector(LongSupplier nanoClock, Duration lease) {
        this.nanoClock = nanoClock;
        this.splitAfter = splitAfter(lease);
        this.startNanos = nanoClock.getAsLong();
        this.comparedNanos = startNanos;
        this.agreedNanos = startNanos;
    }

    /** A difference of the nodes is reported after a lease and one interval of renewals. */
    static Duration splitAfter(Duration lease) {
        return lease.plus(NodeLease.renewal(lease));
    }

    /**
     * Compares the nodes. To be called with each read of the database.
     *
     * @param registered nodes of the generation of this node
     * @param members of the event bus
     * @param silent members whose messages do not arrive
     * @return whether the cluster is split
     */
    boolean compare(List<NodeStore.RegisteredNode> registered, Set<String> members, Collection<String> silent) {
        long now = nanoClock.getAsLong();
        Set<String> actual = new HashSet<>(members);
        actual.removeAll(silent);
        Set<String> expected = new HashSet<>();
        Set<String> joining = new HashSet<>();
        boolean duplicate = false;
        for (NodeStore.RegisteredNode node : registered) {
            String name = Objects.requireNonNull(node.node().name());
            boolean connected = wasConnected(name, node.ageMs(), actual.contains(name));
            duplicate |= !(isJoining(node, connected, now) ? joining : expected).add(name);
        }
        connectedAges.keySet().removeIf(name -> !expected.contains(name) && !joining.contains(name));
        actual.removeAll(joining);
        // after a pause of this process or of the database, the period starts again
        boolean interrupted = now - comparedNanos > splitAfter.toNanos() / 2;
        comparedNanos = now;
        if (interrupted || actual.equals(expected) && !duplicate) {
            agreedNanos = now;
        }
        report(now - agreedNanos > splitAfter.toNanos(), expected, actual);
        return split;
    }

    /** Whether a node has been connected since its registration. */
    private boolean wasConnected(String name, long ageMs, boolean connected) {
        Long before = connectedAges.remove(name);
        // a node that is younger than before has registered again
        if (connected || before != null && before <= ageMs) {
            connectedAges.put(name, ageMs);
            return true;
        }
        return false;
    }

    private boolean isJoining(NodeStore.RegisteredNode node, boolean connected, long now) {
        Duration age = Duration.ofMillis(node.ageMs());
        Duration ownAge = Duration.ofNanos(now - startNanos);
        Duration together = age.compareTo(ownAge) < 0 ? age : ownAge;
        return node.leaving() || age.compareTo(splitAfter) < 0 || !connected && together.compareTo(JOIN_TIMEOUT) < 0;
    }

    private void report(boolean splitNow, Set<String> expected, Set<String> actual) {
        if (splitNow != split) {
            split = splitNow;
            if (splitNow) {
                LOG.atWarn()
                        .addKeyValue("registered", expected)
                        .addKeyValue("members", actual)
                        .log("cluster split detected");
            } else {
                LOG.info("cluster split ended");
            }
        }
    }
}
