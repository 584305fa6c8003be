package dev.plumbline.cluster;

import com.google.common.base.Strings;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The nodes of the latest read of the database. All leases can expire while the database is unavailable, and the nodes
 * renew them one after another. So after an outage, the nodes from before it are included until they had time to renew.
 * Confined to a context.
 */
final class RegisteredNodes {
    private final LongSupplier nanoClock;

    /** Leases that were valid at a read can expire after this time without a read, at the earliest. */
    private final long outageNanos;

    /** After an outage, each node renews its lease within this time. */
    private final long retentionNanos;

    private List<NodeStore.RegisteredNode> latest = List.of();

    /** The nodes from before the last outage that have not renewed their lease since. */
    private List<NodeStore.RegisteredNode> retained = List.of();

    private long readNanos;
    private long outageEndNanos;

    /**
     * @param nanoClock as {@link System#nanoTime}
     * @param lease the duration of the leases
     */
    RegisteredNodes(LongSupplier nanoClock, Duration lease) {
        this.nanoClock = nanoClock;
        this.retentionNanos = NodeLease.renewal(lease).multipliedBy(2).toNanos();
        this.outageNanos = lease.toNanos() - retentionNanos;
        this.readNanos = nanoClock.getAsLong();
        this.outageEndNanos = readNanos;
    }

    /** Uses a read of the database; returns the registered nodes, sorted by name. */
    List<NodeStore.RegisteredNode> use(List<NodeStore.RegisteredNode> read) {
        long now = nanoClock.getAsLong();
        if (now - readNanos > outageNanos) {
            retained = latest;
            outageEndNanos = now;
        } else if (now - outageEndNanos > retentionNanos) {
            retained = List.of();
        }
        readNanos = now;
        Set<String> renewed = read.stream().map(node -> node.node().name()).collect(Collectors.toSet());
        retained = retained.stream()
                .filter(node -> !renewed.contains(node.node().name()))
                .toList();
        latest = Stream.concat(read.stream(), retained.stream())
                .sorted(Comparator.comparing(
                        node -> Strings.nullToEmpty(node.node().name())))
                .toList();
        return latest;
    }
}
