package dev.plumbline.cluster;

import dev.plumbline.config.NodeRole;
import dev.plumbline.postgres.Database;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;

/** Nodes without a cluster in a database. */
public final class TestNodes {
    private static final NodeRecord NODE = new NodeRecord(null, EnumSet.allOf(NodeRole.class), "test", 1, List.of());

    private final NodeStore store;

    public TestNodes(Database database) {
        store = new NodeStore(database, database);
    }

    /** Registers a node and returns its ID. */
    public Future<Long> register(Duration lease) {
        return store.register(NODE, lease);
    }

    public Future<NodeStore.Renewal> renew(long id, Duration lease) {
        return store.renew(id, lease);
    }

    public Future<Void> deregister(long id) {
        return store.deregister(id);
    }

    /** A lease that is not started. */
    public static NodeLease lease(Vertx vertx, Database database, Duration duration, Duration renewal) {
        return new NodeLease(vertx, new NodeStore(database, database), NODE, duration, renewal);
    }
}
