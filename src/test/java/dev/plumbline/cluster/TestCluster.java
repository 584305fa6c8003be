package dev.plumbline.cluster;

import dev.plumbline.bus.MessageBus;
import dev.plumbline.config.NodeRole;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** Nodes of one cluster in this process, each with its own Vert.x instance, on a real database. */
public final class TestCluster implements AutoCloseable {
    private static final long MESSAGE_INTERVAL_MS = 1_000;
    private static final Duration LEASE = Duration.ofSeconds(8);
    private static final String SECRET = "the secret of the nodes in these tests";

    private final String url;
    private final List<Node> nodes = new CopyOnWriteArrayList<>();

    /** A node of the cluster. */
    public static final class Node {
        private final Cluster cluster;
        private final MessageBus bus;
        private final List<List<NodeRecord>> endpoints;

        Node(Cluster cluster, List<List<NodeRecord>> endpoints) {
            this.cluster = cluster;
            this.bus = MessageBus.of(cluster.vertx());
            this.endpoints = endpoints;
        }

        public Cluster cluster() {
            return cluster;
        }

        public MessageBus bus() {
            return bus;
        }

        public Vertx vertx() {
            return cluster.vertx();
        }

        public String name() {
            return cluster.self();
        }

        List<NodeRecord> registered() {
            return endpoints.isEmpty() ? List.of() : endpoints.get(endpoints.size() - 1);
        }

        /** Leaves the bus without releasing the lease, like a crash. */
        public void crash() {
            Await.value(cluster.vertx().close());
        }

        /** Leaves in order. */
        public void stop() {
            Await.value(cluster.lease().close());
            Await.value(cluster.vertx().close());
        }
    }

    /** @param url of a migrated database */
    public TestCluster(String url) {
        this.url = url;
    }

    /** Starts a node with these roles. */
    public Node start(NodeRole... roles) {
        return start(MessageBus.GENERATION, null, roles);
    }

    Node start(int generation, HazelcastBus.Tls tls, NodeRole... roles) {
        return start("127.0.0.1", SECRET, generation, tls, roles);
    }

    /** Starts a node with another session secret than the others. */
    Node startWithSecret(String secret, NodeRole... roles) {
        return start("127.0.0.1", secret, MessageBus.GENERATION, null, roles);
    }

    /** @param host an address of this machine, as {@link java.net.InetAddress#getHostAddress} */
    Node startAt(String host, NodeRole... roles) {
        return start(host, SECRET, MessageBus.GENERATION, null, roles);
    }

    private Node start(String host, String secret, int generation, HazelcastBus.Tls tls, NodeRole... roles) {
        int port = FreePorts.nextPair();
        HazelcastBus.Settings settings = new HazelcastBus.Settings(
                host, port, port + 1, HazelcastBus.clusterName(generation, secret), LEASE, tls);
        List<List<NodeRecord>> endpoints = new CopyOnWriteArrayList<>();
        NodeRecord record = new NodeRecord(
                settings.name(),
                Set.of(roles),
                "test",
                generation,
                List.of(new NodeRecord.Endpoint(host, port), new NodeRecord.Endpoint(host, port + 1)));
        Node node = new Node(
                Await.value(Cluster.join(
                        Vertx.builder(),
                        new VertxOptions().setEventLoopPoolSize(1),
                        settings,
                        record,
                        vertx -> {
                            Database database = new Database(vertx, url, 2, Duration.ofSeconds(5));
                            return Future.succeededFuture(new NodeStore(database, database));
                        },
                        endpoints::add)),
                endpoints);
        if (record.roles().contains(NodeRole.RUN)) {
            node.vertx().setPeriodic(MESSAGE_INTERVAL_MS, fired -> {
                if (nodes.contains(node)) {
                    nodes.forEach(other -> other.cluster().onMessage(node.name()));
                }
            });
        }
        nodes.add(node);
        return node;
    }

    /** Waits until each node sees this number of run nodes. */
    public void awaitRunNodes(int count) {
        for (Node node : nodes) {
            Await.until(() -> node.cluster().view().ring().nodes().size() == count);
        }
    }

    List<String> names() {
        return nodes.stream()
                .map(Node::name)
                .map(Objects::requireNonNull)
                .sorted()
                .toList();
    }

    /** Forgets a node: it is not stopped with the cluster, and it is silent. */
    void remove(Node node) {
        nodes.remove(node);
    }

    @Override
    public void close() {
        List<Node> stopping = List.copyOf(nodes);
        nodes.clear();
        stopping.forEach(Node::stop);
    }
}
