package dev.plumbline.bench;

import dev.plumbline.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Nodes of one cluster on this machine with one database. */
final class ClusterUnderLoad implements AutoCloseable {
    /** Fewer than by default, because the embedded database has 40 connections for all nodes. */
    private static final String POOL_SIZE = "4";

    private final BenchOptions options;
    private final Path folder;
    private final EmbeddedPostgres database;
    private final TenantLoad tenants;
    private final List<ServiceUnderLoad> nodes = new ArrayList<>();
    private boolean closed;

    /** @param folder new folder of the database and the nodes */
    ClusterUnderLoad(BenchOptions options, Path folder) {
        this.options = options;
        this.folder = folder;
        this.database = EmbeddedPostgres.start(folder.resolve("database"));
        this.tenants = new TenantLoad(database.url());
    }

    /**
     * Starts a node and waits until it is ready.
     *
     * @param roles separated by commas; empty: a single node without a cluster
     * @param settings additional settings by environment variable
     */
    synchronized ServiceUnderLoad start(String roles, Map<String, String> settings)
            throws IOException, InterruptedException {
        if (closed) {
            throw new IOException("the benchmark was interrupted");
        }
        Map<String, String> environment = new HashMap<>();
        environment.put("PLUMBLINE_DATABASE_URL", database.url());
        environment.put("PLUMBLINE_DATABASE_POOL_SIZE", POOL_SIZE);
        environment.put("PLUMBLINE_SESSION_SECRET", "a secret of the benchmark with 32 bytes");
        if (!roles.isEmpty()) {
            environment.put("PLUMBLINE_CLUSTER_ENABLED", "true");
            environment.put("PLUMBLINE_CLUSTER_PORT", Integer.toString(freePortPair()));
            environment.put("PLUMBLINE_NODE_ROLES", roles);
        }
        environment.putAll(settings);
        ServiceUnderLoad node =
                ServiceUnderLoad.start(options, folder, folder.resolve("node" + nodes.size()), environment);
        nodes.add(node);
        return node;
    }

    /** A loopback port that is free, as is the next one, which the event bus uses. */
    private static int freePortPair() throws IOException {
        while (true) {
            int port = ServiceUnderLoad.freePort();
            try (java.net.ServerSocket next = new java.net.ServerSocket(port + 1)) {
                return port;
            } catch (IOException used) {
                // try another pair
            }
        }
    }

    TenantLoad tenants() {
        return tenants;
    }

    List<ServiceUnderLoad> nodes() {
        return nodes;
    }

    @Override
    public synchronized void close() {
        closed = true;
        nodes.forEach(ServiceUnderLoad::close);
        tenants.close();
        database.close();
    }
}
