package dev.plumbline.cluster;

import dev.plumbline.config.NodeRole;
import java.util.List;

/**
 * The nodes that this node can reach at present. Immutable.
 *
 * @param nodes all nodes with a valid lease that are members of the cluster, including this node
 * @param ring the nodes that run checks: without nodes that are leaving or that registered in the last seconds, because
 *     others may not know them yet
 */
public record ClusterView(List<NodeRecord> nodes, RunRing ring) {
    public int count(NodeRole role) {
        return (int) nodes.stream().filter(node -> node.roles().contains(role)).count();
    }
}
