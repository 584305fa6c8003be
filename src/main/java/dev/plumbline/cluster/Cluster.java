package dev.plumbline.cluster;

import dev.plumbline.concurrent.VertxInternals;
import dev.plumbline.config.NodeRole;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The membership of this node: compares the nodes in the database with the members of the event bus. Only nodes in both
 * are used. Thread-safe.
 */
public final class Cluster {
    private static final long UPDATE_INTERVAL_MS = 2_000;

    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);

    private final Vertx vertx;
    private final String self;
    private final int generation;
    private final NodeStore store;
    private final NodeLease lease;
    private final Supplier<Set<String>> members;
    private final Consumer<List<NodeRecord>> endpoints;
    private final Context context;

    /** After this time, every node knows a new node, also without notifications. */
    private final long settlingMs;

    private final Future<Void> settled;
    private final List<Consumer<ClusterView>> changeListeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<String>> lossListeners = new CopyOnWriteArrayList<>();

    // confined to the context
    private final RegisteredNodes registrations;
    private final SplitDetector splits;
    private List<NodeStore.RegisteredNode> registered = List.of();
    private long readNanos;
    private boolean reading;
    private boolean readAgain;

    private final SilenceDetector silence;

    private List<String> silent = List.of();
    private final Set<String> excludedBefore = new HashSet<>();

    private volatile ClusterView view = new ClusterView(List.of(), new RunRing(List.of()));
    private volatile boolean split;

    /**
     * @param self the name of this node
     * @param leaseDuration the duration of the leases
     * @param generation of the messages of this node
     * @param members the names of the nodes on the event bus, including this one
     * @param endpoints receives all registered nodes after each change
     */
    Cluster(
            Vertx vertx,
            String self,
            Duration leaseDuration,
            int generation,
            NodeStore store,
            NodeLease lease,
            Supplier<Set<String>> members,
            Consumer<List<NodeRecord>> endpoints) {
        this.vertx = vertx;
        this.self = self;
        this.generation = generation;
        this.silence = new SilenceDetector(self, System::nanoTime);
        this.store = store;
        this.lease = lease;
        this.members = members;
        this.endpoints = endpoints;
        this.context = VertxInternals.createContext(vertx);
        context.runOnContext(ignored -> vertx.setPeriodic(UPDATE_INTERVAL_MS, fired -> update()));
        this.registrations = new RegisteredNodes(System::nanoTime, leaseDuration);
        this.splits = new SplitDetector(System::nanoTime, leaseDuration);
        this.settlingMs = NodeLease.renewal(leaseDuration).toMillis();
        this.settled = vertx.timer(settlingMs).mapEmpty();
    }

    /**
     * Registers this node in the database and joins the event bus.
     *
     * @param node this node; its name is that of the settings
     * @param openStore opens the database; called once with the new Vert.x instance
     * @param endpoints receives all registered nodes after each change
     * @return fails if the database is not reachable or a port is in use
     */
    public static Future<Cluster> join(
            VertxBuilder builder,
            VertxOptions options,
            HazelcastBus.Settings settings,
            NodeRecord node,
            Function<Vertx, Future<NodeStore>> openStore,
            Consumer<List<NodeRecord>> endpoints) {
        Registration registration = new Registration(node, settings.lease(), openStore);
        return HazelcastBus.join(
                        builder,
                        options,
                        settings,
                        new HazelcastBus.Discovery(registration::prepare, vertx -> registration.names()))
                .compose(joined -> {
                    NodeLease lease = registration.lease();
                    if (lease.id() == 0) {
                        return joined.vertx()
                                .close()
                                .transform(closed ->
                                        Future.failedFuture("This node could not be registered in the database."
                                                + " Check database.url and the database."));
                    }
                    Cluster cluster = new Cluster(
                            joined.vertx(),
                            settings.name(),
                            settings.lease(),
                            node.generation(),
                            registration.store(),
                            lease,
                            joined.bus()::members,
                            endpoints);
                    lease.subscribe(cluster.new LeaseListener());
                    joined.bus().attach(cluster);
                    return Future.succeededFuture(cluster);
                });
    }

    /** The registration in the database, which Hazelcast triggers after it has bound its port. */
    private static final class Registration {
        private final NodeRecord node;
        private final Duration duration;
        private final Function<Vertx, Future<NodeStore>> openStore;
        private volatile @Nullable NodeStore store;
        private volatile @Nullable NodeLease lease;

        Registration(NodeRecord node, Duration duration, Function<Vertx, Future<NodeStore>> openStore) {
            this.node = node;
            this.duration = duration;
            this.openStore = openStore;
        }

        Future<Void> prepare(Vertx vertx) {
            return openStore.apply(vertx).map(opened -> {
                store = opened;
                lease = new NodeLease(vertx, opened, node, duration);
                return null;
            });
        }

        Future<List<String>> names() {
            return lease().start().compose(started -> store().read()).map(nodes -> nodes.stream()
                    .filter(other -> other.node().generation() == node.generation())
                    .map(other -> Objects.requireNonNull(other.node().name()))
                    .toList());
        }

        NodeStore store() {
            return Objects.requireNonNull(store);
        }

        NodeLease lease() {
            return Objects.requireNonNull(lease);
        }
    }

    /** Uses the nodes that each renewal of the lease reads. */
    private final class LeaseListener implements NodeLease.Listener {
        @Override
        public void onRegistered(long id) {
            refresh();
        }

        @Override
        public void onRenewed(NodeStore.Renewal renewal) {
            context.runOnContext(ignored -> use(renewal.nodes()));
        }
    }

    /** The Vert.x instance of this node. */
    public Vertx vertx() {
        return vertx;
    }

    /** Completes when all nodes know this node. */
    public Future<Void> settled() {
        return settled;
    }

    /** The lease of this node; started. */
    public NodeLease lease() {
        return lease;
    }

    /** The name of this node. */
    public String self() {
        return self;
    }

    /** The nodes that this node can reach. */
    public ClusterView view() {
        return view;
    }

    /** The number of nodes on the event bus, including this one. */
    public int members() {
        return members.get().size();
    }

    /**
     * Whether the registered nodes and the members have differed for longer than a lease and one interval of renewals.
     */
    public boolean split() {
        return split;
    }

    /** A message of a run node has arrived. */
    void onMessage(String name) {
        context.runOnContext(ignored -> {
            boolean known =
                    registered.stream().anyMatch(node -> name.equals(node.node().name()));
            if (known && silence.hear(name)) {
                update();
            }
        });
    }

    /** Adds a listener that receives each new view on an event loop. */
    public void onChange(Consumer<ClusterView> listener) {
        changeListeners.add(listener);
        context.runOnContext(ignored -> listener.accept(view));
    }

    /**
     * Adds a listener that receives the name of each node that left the event bus or became silent, on an event loop.
     */
    public void onLost(Consumer<String> listener) {
        lossListeners.add(listener);
    }

    /** Reads the nodes from the database, because they may have changed. */
    public void refresh() {
        context.runOnContext(ignored -> read());
    }

    void onMembersChanged() {
        context.runOnContext(ignored -> {
            update();
            read();
        });
    }

    void onMemberLost(String name) {
        context.runOnContext(ignored -> {
            update();
            LOG.atWarn().addKeyValue("node", name).log("node left the event bus");
            lossListeners.forEach(listener -> listener.accept(name));
        });
    }

    private void read() {
        if (reading) {
            readAgain = true;
            return;
        }
        reading = true;
        store.read().onComplete((nodes, failure) -> {
            reading = false;
            if (failure == null) {
                use(nodes);
            }
            if (readAgain) {
                readAgain = false;
                read();
            }
        });
    }

    private void use(List<NodeStore.RegisteredNode> read) {
        registered = registrations.use(read);
        readNanos = System.nanoTime();
        endpoints.accept(registered.stream().map(NodeStore.RegisteredNode::node).toList());
        split = splits.compare(
                registered.stream()
                        .filter(node -> node.node().generation() == generation)
                        .toList(),
                members.get(),
                silent);
        update();
    }

    private void update() {
        Set<String> reachable = members.get();
        List<NodeRecord> nodes = new ArrayList<>();
        List<String> running = new ArrayList<>();
        long sinceRead = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - readNanos);
        long settling = 0;
        for (NodeStore.RegisteredNode candidate : registered) {
            NodeRecord node = candidate.node();
            String name = Objects.requireNonNull(node.name());
            if (node.generation() != generation || !(name.equals(self) || reachable.contains(name))) {
                continue;
            }
            nodes.add(node);
            if (node.roles().contains(NodeRole.RUN) && !candidate.leaving()) {
                long remaining = settlingMs - candidate.ageMs() - sinceRead;
                if (remaining <= 0) {
                    running.add(name);
                } else {
                    settling = Math.max(settling, remaining);
                }
            }
        }
        if (settling > 0) {
            vertx.setTimer(settling, fired -> update());
        }
        silent = silence.silent(running);
        // if no run node sends messages, the cause is more likely on this side
        List<String> excluded = silent.size() == running.size() ? List.of() : silent;
        running.removeAll(excluded);
        nodes.removeIf(node -> excluded.contains(node.name()));
        ClusterView next = new ClusterView(List.copyOf(nodes), new RunRing(running));
        boolean changed = !next.nodes().equals(view.nodes())
                || !next.ring().nodes().equals(view.ring().nodes());
        if (changed) {
            view = next;
            LOG.atInfo()
                    .addKeyValue("nodes", nodes.size())
                    .addKeyValue("run_nodes", running)
                    .addKeyValue("silent", silent)
                    .log("cluster changed");
            changeListeners.forEach(listener -> listener.accept(next));
        }
        excluded.stream().filter(excludedBefore::add).forEach(name -> lossListeners.forEach(l -> l.accept(name)));
        excludedBefore.retainAll(excluded);
    }
}
