package dev.plumbline.cluster;

import dev.plumbline.config.NodeRole;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a node that the other nodes read from the database.
 *
 * @param name the cluster address of the node, {@code host:port}; null without a cluster
 * @param version of the program
 * @param generation of the messages; nodes of different generations do not communicate
 * @param endpoints the addresses of all listening sockets
 */
public record NodeRecord(
        @Nullable String name, Set<NodeRole> roles, String version, int generation, List<Endpoint> endpoints) {

    /** A listening socket: an IP address and a port. */
    public record Endpoint(String address, int port) {}
}
