package dev.plumbline.app;

import dev.plumbline.bus.MessageBus;
import dev.plumbline.cluster.Cluster;
import dev.plumbline.cluster.HazelcastBus;
import dev.plumbline.cluster.NodeRecord;
import dev.plumbline.cluster.NodeStore;
import dev.plumbline.config.Config;
import dev.plumbline.egress.OwnEndpoints;
import dev.plumbline.postgres.SchemaMigrator;
import dev.plumbline.target.IpAddressText;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Joins the cluster, which needs the database before the Vert.x instance is complete. */
record ClusterStart(Cluster cluster, DatabasePools databases) {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterStart.class);

    /**
     * Blocks until this node is a member.
     *
     * @param sockets on which this node will listen
     * @param own receives the listening sockets of all nodes
     * @param starter runs the migration
     */
    static ClusterStart join(
            Config config,
            VertxBuilder builder,
            VertxOptions options,
            List<ListeningSocket> sockets,
            OwnEndpoints own,
            Vertx starter)
            throws StartException {
        Config.ClusterSettings settings = config.cluster();
        String url = Objects.requireNonNull(config.database().url());
        InetAddress host = ListeningSocket.address("cluster.host", settings.host());
        requireInterface(host);
        BlockingAwait.awaitMigration(SchemaMigrator.run(starter, url));
        HazelcastBus.Settings bus = new HazelcastBus.Settings(
                host.getHostAddress(),
                settings.port(),
                settings.busPort(),
                HazelcastBus.clusterName(
                        MessageBus.GENERATION,
                        Objects.requireNonNull(config.session().secret())),
                config.node().lease(),
                tls(settings));
        NodeRecord node = new NodeRecord(
                bus.name(), config.node().roles(), Version.text(), MessageBus.GENERATION, endpoints(sockets, own));
        AtomicReference<DatabasePools> databases = new AtomicReference<>();
        Future<Cluster> joined = Cluster.join(
                builder,
                options,
                bus,
                node,
                vertx -> {
                    DatabasePools pools = DatabasePools.open(vertx, config.database(), url);
                    databases.set(pools);
                    return Future.succeededFuture(
                            new NodeStore(NodeContext.leasePool(config, pools), pools.maintenance()));
                },
                nodes -> own.setNodes(
                        nodes.stream().flatMap(ClusterStart::sockets).toList(),
                        config.node().lease()));
        Cluster cluster = BlockingAwait.await(joined, bus.name() + " (cluster.host, cluster.port)");
        LOG.atInfo()
                .addKeyValue("node", bus.name())
                .addKeyValue("bus_tls", bus.tls() != null)
                .log("cluster joined");
        if (host.isLoopbackAddress()) {
            LOG.atWarn()
                    .addKeyValue("cluster_host", IpAddressText.format(host))
                    .log("only nodes on this machine can join: cluster.host is a loopback address");
        } else if (bus.tls() == null) {
            LOG.atWarn()
                    .addKeyValue("cluster_host", IpAddressText.format(host))
                    .addKeyValue("event_bus_port", bus.busPort())
                    .log("event bus not encrypted and not authenticated: cluster.insecure is true");
        }
        return new ClusterStart(cluster, Objects.requireNonNull(databases.get()));
    }

    /** Hazelcast reports such errors with a stack trace only. */
    private static void requireInterface(InetAddress host) throws StartException {
        try {
            if (NetworkInterface.getByInetAddress(host) != null) {
                return;
            }
        } catch (SocketException unreadable) {
            LOG.atWarn().setCause(unreadable).log("network interfaces cannot be read");
            return;
        }
        throw new StartException(
                "cluster.host " + IpAddressText.format(host)
                        + " is not an address of a network interface of this machine."
                        + " Set cluster.host to an address of this machine that the other nodes can reach.",
                null);
    }

    private static HazelcastBus.@Nullable Tls tls(Config.ClusterSettings settings) {
        Path certificate = settings.tlsCertificate();
        return certificate == null
                ? null
                : new HazelcastBus.Tls(
                        certificate.toString(),
                        Objects.requireNonNull(settings.tlsKey()).toString(),
                        Objects.requireNonNull(settings.tlsCa()).toString());
    }

    /** All addresses at which the sockets can be reached. */
    private static List<NodeRecord.Endpoint> endpoints(List<ListeningSocket> sockets, OwnEndpoints own) {
        return sockets.stream()
                .flatMap(socket -> own.listeningAddresses(socket.address()).stream()
                        .map(address -> new NodeRecord.Endpoint(IpAddressText.format(address), socket.port())))
                .toList();
    }

    private static Stream<OwnEndpoints.Socket> sockets(NodeRecord node) {
        return node.endpoints().stream().flatMap(endpoint -> {
            InetAddress address = IpAddressText.parse(endpoint.address());
            return address == null ? Stream.empty() : Stream.of(new OwnEndpoints.Socket(address, endpoint.port()));
        });
    }
}
