package dev.plumbline.cluster;

import dev.plumbline.config.NodeRole;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** Metrics of the membership. */
public final class ClusterMetrics {
    private ClusterMetrics() {}

    public static void register(Cluster cluster, MeterRegistry registry) {
        for (NodeRole role : NodeRole.values()) {
            Gauge.builder("plumbline.cluster.nodes", cluster, node -> node.view()
                            .count(role))
                    .description("Nodes with a valid lease that are members of the event bus, by role")
                    .tag("role", role.id())
                    .register(registry);
        }
        Gauge.builder("plumbline.cluster.members", cluster, Cluster::members)
                .description("Members of the event bus, this node included")
                .register(registry);
        Gauge.builder("plumbline.cluster.split", cluster, node -> node.split() ? 1 : 0)
                .description("1 if the registered nodes and the members have differed for more than 25 seconds, else 0")
                .register(registry);
    }
}
