package dev.plumbline.cluster;

import com.google.common.hash.Hashing;
import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.config.Config;
import com.hazelcast.config.DiscoveryStrategyConfig;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.core.LifecycleEvent;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.spi.cluster.RegistrationInfo;
import io.vertx.spi.cluster.hazelcast.ConfigUtil;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The event bus of a cluster: Vert.x with Hazelcast, without multicast and without connections to other hosts.
 * Hazelcast has its default number of threads: with fewer, a healthy member was suspected while another one was
 * stopped.
 */
public final class HazelcastBus {
    private static final int BUS_PING_MS = 3_000;
    private static final int BUS_PING_REPLY_MS = 3_000;
    private static final int CONNECT_TIMEOUT_MS = 2_000;
    private static final long DISCOVERY_TIMEOUT_SECONDS = 30;
    private static final long REPUBLISH_INTERVAL_MS = 5_000;

    private final Manager manager;

    /**
     * The addresses of this node and the name of its cluster.
     *
     * @param host IP address of the interface
     * @param port of Hazelcast
     * @param clusterName as {@link #clusterName}
     * @param lease the duration of the leases in the database. A member without heartbeats is removed before its lease
     *     expires.
     * @param tls null for an event bus without TLS
     */
    public record Settings(String host, int port, int busPort, String clusterName, Duration lease, @Nullable Tls tls) {
        /** The name of this node. */
        public String name() {
            return nameOf(host, port);
        }
    }

    /**
     * The name that Hazelcast compares when a node joins. It can be computed only with the secret, but Hazelcast sends
     * it in clear text.
     *
     * @param generation of the messages; nodes of different generations form separate clusters
     * @param secret shared by all nodes
     */
    public static String clusterName(int generation, String secret) {
        return "plumbline-" + generation + "-"
                + Hashing.hmacSha256(secret.getBytes(StandardCharsets.UTF_8))
                        .hashString("cluster name", StandardCharsets.UTF_8);
    }

    private static String nameOf(String host, int port) {
        return (isIpv6(host) ? "[" + host + "]" : host) + ":" + port;
    }

    private static boolean isIpv6(String host) {
        return host.indexOf(':') >= 0;
    }

    /** PEM files for mutual TLS. */
    public record Tls(String certificate, String key, String ca) {}

    /**
     * The database of the cluster.
     *
     * @param prepare called first
     * @param names registers this node if necessary and returns the names of all nodes
     */
    public record Discovery(Function<Vertx, Future<Void>> prepare, Function<Vertx, Future<List<String>>> names) {}

    private HazelcastBus(Manager manager) {
        this.manager = manager;
    }

    /** A Vert.x instance on a bus. */
    public record Joined(Vertx vertx, HazelcastBus bus) {}

    /** Joins the cluster. Fails if the database is not reachable or the port is in use. */
    public static Future<Joined> join(
            VertxBuilder builder, VertxOptions options, Settings settings, Discovery discovery) {
        Manager manager = new Manager(settings, discovery);
        return builder.with(options.setEventBusOptions(eventBus(settings)))
                .withClusterManager(manager)
                .buildClustered()
                .map(vertx -> new Joined(vertx, new HazelcastBus(manager)));
    }

    private static EventBusOptions eventBus(Settings settings) {
        EventBusOptions options = new EventBusOptions()
                .setHost(settings.host)
                .setPort(settings.busPort)
                .setClusterPublicHost(settings.host)
                .setClusterPublicPort(settings.busPort)
                .setClusterPingInterval(BUS_PING_MS)
                .setClusterPingReplyInterval(BUS_PING_REPLY_MS)
                .setConnectTimeout(CONNECT_TIMEOUT_MS);
        Tls tls = settings.tls;
        return tls == null
                ? options
                : options.setSsl(true)
                        // the default accepts every certificate of a server
                        .setTrustAll(false)
                        .setClientAuth(ClientAuth.REQUIRED)
                        .setKeyCertOptions(new PemKeyCertOptions()
                                .addCertPath(tls.certificate)
                                .addKeyPath(tls.key))
                        .setTrustOptions(new PemTrustOptions().addCertPath(tls.ca));
    }

    /** The names of the members of the bus, including this node. */
    Set<String> members() {
        return manager.isActive()
                ? manager.getHazelcastInstance().getCluster().getMembers().stream()
                        .map(HazelcastBus::name)
                        .collect(Collectors.toSet())
                : Set.of();
    }

    /** Reports changes of the members to the cluster. */
    void attach(Cluster cluster) {
        cluster.vertx().setPeriodic(REPUBLISH_INTERVAL_MS, fired -> manager.republish());
        manager.getHazelcastInstance().getCluster().addMembershipListener(new MembershipListener() {
            @Override
            public void memberAdded(MembershipEvent event) {
                cluster.onMembersChanged();
            }

            @Override
            public void memberRemoved(MembershipEvent event) {
                cluster.onMemberLost(name(event.getMember()));
            }
        });
        manager.getHazelcastInstance().getLifecycleService().addLifecycleListener(event -> {
            if (event.getState() == LifecycleEvent.LifecycleState.MERGED) {
                cluster.onMembersChanged();
            }
        });
    }

    private static String name(Member member) {
        return nameOf(member.getAddress().getHost(), member.getAddress().getPort());
    }

    /** Connects Hazelcast with the database before it joins. */
    private static final class Manager extends HazelcastClusterManager {
        private record Registration(String address, RegistrationInfo consumer) {}

        private final Discovery discovery;

        /** The consumers of this node that receive messages of other nodes. */
        private final Set<Registration> registrations = ConcurrentHashMap.newKeySet();

        private final AtomicBoolean republishing = new AtomicBoolean();
        private @Nullable Vertx vertx;

        Manager(Settings settings, Discovery discovery) {
            this.discovery = discovery;
            setConfig(config(settings, new NodeDiscovery(this::names)));
        }

        @Override
        public void init(Vertx created) {
            super.init(created);
            vertx = created;
        }

        @Override
        public void join(Completable<Void> joined) {
            discovery.prepare().apply(Objects.requireNonNull(vertx)).onComplete((prepared, failure) -> {
                if (failure == null) {
                    super.join(joined);
                } else {
                    joined.fail(failure);
                }
            });
        }

        @Override
        public void addRegistration(String address, RegistrationInfo consumer, Completable<Void> added) {
            if (!consumer.localOnly()) {
                registrations.add(new Registration(address, consumer));
            }
            super.addRegistration(address, consumer, added);
        }

        @Override
        public void removeRegistration(String address, RegistrationInfo consumer, Completable<Void> removed) {
            registrations.remove(new Registration(address, consumer));
            super.removeRegistration(address, consumer, removed);
        }

        /**
         * Writes the address and the consumers of this node to the maps of the cluster again. A node that was suspended
         * and has joined again removes those of the other members, because it handles their loss after the merge.
         * Without this, this node would not receive messages until another member leaves.
         */
        void republish() {
            if (!isActive() || !republishing.compareAndSet(false, true)) {
                return;
            }
            Promise<Void> address = Promise.promise();
            setNodeInfo(getNodeInfo(), address);
            Future<Void> written = address.future();
            for (Registration registration : registrations) {
                written = written.compose(before -> {
                    Promise<Void> added = Promise.promise();
                    if (registrations.contains(registration)) {
                        super.addRegistration(registration.address(), registration.consumer(), added);
                    } else {
                        added.complete();
                    }
                    return added.future();
                });
            }
            // a failure, for example while the cluster merges, is followed by the next attempt
            written.onComplete(ended -> republishing.set(false));
        }

        // called by Hazelcast on threads that can block, after it has bound its port
        private List<String> names() {
            try {
                return discovery
                        .names()
                        .apply(Objects.requireNonNull(vertx))
                        .toCompletionStage()
                        .toCompletableFuture()
                        .get(DISCOVERY_TIMEOUT_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return List.of();
            } catch (ExecutionException | TimeoutException unavailable) {
                // Hazelcast repeats the discovery
                return List.of();
            }
        }

        private static Config config(Settings settings, NodeDiscovery discovery) {
            long maxNoHeartbeat = settings.lease.multipliedBy(3).dividedBy(4).toSeconds();
            String mergeSeconds = Long.toString(settings.lease.dividedBy(2).toSeconds());
            Config config = ConfigUtil.loadConfig()
                    .setClusterName(settings.clusterName)
                    .setProperty("hazelcast.discovery.enabled", "true")
                    .setProperty("hazelcast.phone.home.enabled", "false")
                    .setProperty("hazelcast.logging.type", "slf4j")
                    // the default adds the cluster name to each message
                    .setProperty("hazelcast.logging.details.enabled", "false")
                    .setProperty("hazelcast.heartbeat.interval.seconds", Long.toString(Math.max(1, maxNoHeartbeat / 5)))
                    .setProperty("hazelcast.max.no.heartbeat.seconds", Long.toString(maxNoHeartbeat))
                    // After a suspension, a member claims the mastership and waits for the members of its last view.
                    // It does not merge before that. The default is 120 s.
                    .setProperty("hazelcast.mastership.claim.timeout.seconds", Long.toString(maxNoHeartbeat))
                    .setProperty("hazelcast.merge.first.run.delay.seconds", mergeSeconds)
                    .setProperty("hazelcast.merge.next.run.delay.seconds", mergeSeconds)
                    .setProperty("hazelcast.wait.seconds.before.join", "1")
                    .setProperty("hazelcast.max.wait.seconds.before.join", "5")
                    .setProperty("hazelcast.socket.bind.any", "false")
                    // the default ignores the IPv6 addresses of the interfaces
                    .setProperty("hazelcast.prefer.ipv4.stack", Boolean.toString(!isIpv6(settings.host)));
            config.getMetricsConfig().setEnabled(false);
            // members do not exchange objects of other classes
            JavaSerializationFilterConfig filter = new JavaSerializationFilterConfig();
            filter.getWhitelist().addPrefixes("io.vertx.");
            config.getSerializationConfig().setJavaSerializationFilterConfig(filter);
            NetworkConfig network = config.getNetworkConfig();
            network.setPort(settings.port).setPortAutoIncrement(false);
            network.getInterfaces().setEnabled(true).addInterface(settings.host);
            JoinConfig join = network.getJoin();
            join.getMulticastConfig().setEnabled(false);
            join.getTcpIpConfig().setEnabled(false);
            join.getAutoDetectionConfig().setEnabled(false);
            join.getDiscoveryConfig().addDiscoveryStrategyConfig(new DiscoveryStrategyConfig(discovery));
            return config;
        }
    }
}
