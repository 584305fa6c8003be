package dev.plumbline.app;

import com.google.common.net.HostAndPort;
import dev.plumbline.account.BootstrapAccount;
import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.NodeBudget;
import dev.plumbline.bus.CheckRouter;
import dev.plumbline.bus.LocalCheckRouter;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.cluster.Cluster;
import dev.plumbline.cluster.ClusterCheckRouter;
import dev.plumbline.cluster.ClusterMetrics;
import dev.plumbline.cluster.NodeLease;
import dev.plumbline.cluster.NodeRecord;
import dev.plumbline.cluster.NodeStore;
import dev.plumbline.concurrent.EventLoopLag;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.config.NodeRole;
import dev.plumbline.egress.OwnEndpoints;
import dev.plumbline.job.coordinate.CoordinatorSettings;
import dev.plumbline.job.store.JobStore;
import dev.plumbline.ops.HealthCheck;
import dev.plumbline.ops.HttpSelfProbe;
import dev.plumbline.ops.ManagementVerticle;
import dev.plumbline.ops.ProcessMetrics;
import dev.plumbline.postgres.NotificationListener;
import dev.plumbline.postgres.PostgresException;
import dev.plumbline.postgres.SchemaMigrator;
import dev.plumbline.postgres.embedded.EmbeddedPostgres;
import dev.plumbline.result.store.MemoryResultCache;
import dev.plumbline.result.store.ResultCache;
import dev.plumbline.result.store.ResultStore;
import dev.plumbline.run.CheckEnvironment;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.TargetPolicy;
import dev.plumbline.trace.export.SpanExport;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A node: deploys the parts of its roles in order and stops them in reverse order. */
public final class Service {
    private static final long CLOSE_SECONDS = 5;

    /** The time in which other nodes stop sending checks to a node that leaves the cluster. */
    private static final Duration LEAVE_GRACE = Duration.ofSeconds(1);

    /** For checks that other nodes have sent, if the own requests took the whole http.shutdown_timeout. */
    private static final Duration MIN_RUN_DRAIN = Duration.ofSeconds(5);

    private final Config config;
    private final OwnEndpoints own = new OwnEndpoints();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final HealthCheck health = new HealthCheck();
    private final JvmGcMetrics collections;
    private final Vertx vertx;
    private final @Nullable ClusterStart cluster;
    private final @Nullable HttpRole http;
    private final @Nullable SpanExport traces;
    private final EventLoopLag lag;
    private final NodeBudget budget;

    private @Nullable Storage storage;
    private @Nullable Joined joined;
    private @Nullable Roles roles;

    /** @param embedded null if the database is external */
    private record Storage(String url, @Nullable EmbeddedPostgres embedded) {
        boolean embeddedRuns() {
            return embedded != null && embedded.running();
        }
    }

    /** The node with its connections to the database and its lease. */
    private record Joined(NodeContext context, NodeLease lease) {}

    /** The roles besides {@code http}; null if this node does not have them. */
    private record Roles(@Nullable RunRole run, @Nullable CoordinateRole coordinate) {}

    /**
     * Joins the cluster if it is enabled.
     *
     * @param sockets on which this node will listen
     * @param starter runs the steps of the start that block an event loop
     */
    private Service(Config config, List<ListeningSocket> sockets, Vertx starter) throws StartException {
        this.config = config;
        this.http = config.node().has(NodeRole.HTTP) ? new HttpRole(config, registry) : null;
        this.collections = ProcessMetrics.register(registry, Version.text());
        VertxOptions options = new VertxOptions().setEventLoopPoolSize(NodeContext.loops());
        VertxBuilder builder = Vertx.builder().with(options);
        if (http != null) {
            builder.withTransport(http.transport());
        }
        this.traces = Tracing.start(config, builder, registry);
        this.cluster =
                config.cluster().enabled() ? ClusterStart.join(config, builder, options, sockets, own, starter) : null;
        this.vertx = cluster == null ? builder.build() : cluster.cluster().vertx();
        this.lag = new EventLoopLag(vertx, System::nanoTime, ProcessMetrics.registerEventLoopLag(registry));
        lag.measure(NodeContext.loops());
        this.budget = NodeBudget.ofProcess(vertx, MemoryBudget.CLIENT_SHARE);
    }

    /**
     * Starts the service; blocks until it accepts requests.
     *
     * @param print receives the credentials of the bootstrap account, line by line
     * @throws StartException if the start fails; all resources are released
     */
    public static Service start(Config config, Consumer<String> print) throws StartException {
        Vertx starter = starter();
        try {
            List<ListeningSocket> sockets = ListeningSocket.all(config);
            // before this node joins the cluster, because a failed start later would move targets between nodes, and
            // before the first account is created
            for (ListeningSocket socket : sockets) {
                socket.requireFree();
            }
            TlsFiles.validate(config, starter);
            Service service = new Service(config, sockets, starter);
            try {
                service.open(starter, print);
                return service;
            } catch (StartException | ConfigException | RuntimeException failed) {
                service.stop();
                throw failed;
            }
        } catch (ConfigException | PostgresException failed) {
            throw new StartException(ExceptionMessage.of(failed), failed);
        } finally {
            BlockingAwait.quietly(starter.close(), CLOSE_SECONDS);
        }
    }

    /**
     * An event loop of its own for the migration and openapi.json: the first connection to a database and the first
     * document load hundreds of classes, which takes seconds on a loaded machine.
     */
    private static Vertx starter() {
        return Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(1)
                .setMaxEventLoopExecuteTimeUnit(TimeUnit.HOURS)
                .setMaxEventLoopExecuteTime(1));
    }

    /** The URL of the HTTP server, or of the management server if this node does not have the role {@code http}. */
    public String address() {
        return http == null
                ? "http://"
                        + HostAndPort.fromParts(
                                config.management().host(), config.management().port())
                : (config.http().tlsCertificate() == null ? "http://" : "https://")
                        + HostAndPort.fromParts(
                                config.http().host(), config.http().port());
    }

    private void open(Vertx starter, Consumer<String> print) throws StartException, ConfigException {
        String invalid = BootstrapAccount.validate(config.bootstrap());
        if (invalid != null) {
            throw new StartException(invalid, null);
        }
        if (http != null) {
            http.load(starter);
        }
        Storage database = openStorage();
        storage = database;
        if (cluster == null) {
            BlockingAwait.awaitMigration(SchemaMigrator.run(starter, database.url, database::embeddedRuns));
        }
        NodeContext context = context(database.url);
        NodeLease lease =
                cluster == null ? register(context) : cluster.cluster().lease();
        joined = new Joined(context, lease);
        CoordinatorSettings settings = CoordinatorSettings.of(
                config.checks().concurrent(), config.targets().perIp().concurrent());
        CheckRouter router = cluster == null
                ? new LocalCheckRouter(context.bus(), settings.permits())
                : new ClusterCheckRouter(cluster.cluster(), context.bus(), settings.permits(), registry);
        if (http != null) {
            http.deploy(context);
            health.addHttp(new HttpSelfProbe(vertx, config.http()));
            own.addLocal(config.http().port());
        }
        own.addLocal(config.management().port());
        health.addDatabase(NodeContext.leasePool(config, context.databases()));
        RunRole run = null;
        if (config.node().has(NodeRole.RUN)) {
            run = RunRole.deploy(context, settings.permits(), cluster == null ? null : cluster.cluster());
            health.addRunners(context.bus());
        }
        roles = new Roles(
                run,
                config.node().has(NodeRole.COORDINATE)
                        ? CoordinateRole.deploy(context, router, settings, lease)
                        : null);
        if (cluster != null) {
            observe(cluster.cluster(), context);
        }
        context.notifications().start();
        context.deploy(
                () -> new ManagementVerticle(config.management(), health, registry),
                1,
                config.management().host() + ":" + config.management().port() + " (management.host, management.port)");
        if (cluster != null) {
            BlockingAwait.await(cluster.cluster().settled(), "cluster");
        }
        if (http != null) {
            http.listen(context, router, print);
        }
        StartupLog.log(config, address(), database.url);
    }

    private Storage openStorage() {
        String external = config.database().url();
        if (external != null) {
            return new Storage(external, null);
        }
        EmbeddedPostgres embedded = EmbeddedPostgres.start(config.data().dir());
        return new Storage(embedded.url(), embedded);
    }

    private NodeContext context(String databaseUrl) throws StartException {
        TargetPolicy policy = policy();
        DatabasePools pools =
                cluster == null ? DatabasePools.open(vertx, config.database(), databaseUrl) : cluster.databases();
        own.add(pools.instant().host(), pools.instant().port());
        Clock clock = Clock.systemUTC();
        ResultStore results = new ResultStore(vertx, pools.instant(), pools.jobs());
        MemoryResultCache cache = new MemoryResultCache(clock, config.cache().memoryBytes());
        NodeContext context = new NodeContext(
                vertx,
                config,
                clock,
                registry,
                MessageBus.of(vertx),
                pools,
                results,
                cache,
                new ResultCache(cache, results, config.cache().ttl()),
                new JobStore(
                        pools.jobs(),
                        config.jobs().retention(),
                        new JobStore.Quotas(
                                config.limits().jobsPerHour(), config.limits().jobsPerHourAccount())),
                ModuleCatalogue.load(config.dns().resolvers().keySet()),
                policy,
                new NotificationListener(vertx, databaseUrl),
                budget,
                lag);
        // notifications may have been lost before a connection
        context.notifications().onConnected(cache::clear).on(ResultStore.REPLACED, cache::remove);
        context.gauge("result_read", results::pendingLookups);
        context.gauge("result_write", results::pendingWrites);
        FunctionCounter.builder("plumbline.results.lost", results, ResultStore::lostWrites)
                .description("Results of instant checks and parts that were not stored")
                .register(registry);
        return context;
    }

    private TargetPolicy policy() throws StartException {
        try {
            return CheckEnvironment.policy(config, own);
        } catch (IllegalArgumentException rule) {
            throw new StartException(ExceptionMessage.of(rule), rule);
        }
    }

    /** Registers a node without a cluster. */
    private NodeLease register(NodeContext context) {
        NodeLease registered = new NodeLease(
                vertx,
                new NodeStore(
                        NodeContext.leasePool(config, context.databases()),
                        context.databases().maintenance()),
                new NodeRecord(null, config.node().roles(), Version.text(), MessageBus.GENERATION, List.of()),
                config.node().lease());
        registered.start();
        return registered;
    }

    private void observe(Cluster joined, NodeContext context) {
        context.notifications().onConnected(joined::refresh).on(NodeStore.CHANNEL, changed -> joined.refresh());
        ClusterMetrics.register(joined, registry);
        health.add(
                "cluster",
                () -> Future.succeededFuture(
                        !joined.settled().isComplete()
                                ? new HealthCheck.State("joining", false)
                                : new HealthCheck.State(joined.split() ? "split" : "up", true)));
    }

    /**
     * Stops the service: rejects new requests, completes requests in progress, flushes pending writes, closes the
     * database.
     */
    public void stop() {
        health.drain();
        if (http != null) {
            http.awaitShutdownDelay();
        }
        long drainNanos = System.nanoTime();
        long timeoutSeconds = config.http().shutdownTimeout().toSeconds() + CLOSE_SECONDS;
        CoordinateRole coordinate = roles == null ? null : roles.coordinate;
        Future<Void> linesDone = coordinate == null ? Future.succeededFuture() : coordinate.drain();
        if (http != null) {
            http.drain();
        }
        BlockingAwait.quietly(linesDone, timeoutSeconds);
        NodeLease lease = joined != null
                ? joined.lease
                : cluster != null ? cluster.cluster().lease() : null;
        if (lease != null) {
            leave(lease, drainNanos);
            BlockingAwait.quietly(lease.close(), CLOSE_SECONDS);
        }
        if (coordinate != null) {
            coordinate.stop();
        }
        if (joined != null) {
            NodeContext node = joined.context;
            BlockingAwait.quietly(node.notifications().close(), CLOSE_SECONDS);
            if (http != null) {
                http.flush();
            }
            BlockingAwait.quietly(node.results().flush(), CLOSE_SECONDS);
            BlockingAwait.quietly(node.databases().close(), CLOSE_SECONDS);
        } else if (cluster != null) {
            BlockingAwait.quietly(cluster.databases().close(), CLOSE_SECONDS);
        }
        if (http != null) {
            http.awaitLoaded();
        }
        BlockingAwait.quietly(vertx.close(), 2 * CLOSE_SECONDS);
        if (traces != null) {
            traces.close();
        }
        budget.close();
        collections.close();
        if (storage != null && storage.embedded != null) {
            storage.embedded.stop();
        }
    }

    /**
     * Leaves the cluster and completes the checks that other nodes have sent to this node. The requests of this node
     * are complete before, because it may be the only one that can run their checks.
     *
     * @param drainNanos start of the shutdown, as {@link System#nanoTime}
     */
    private void leave(NodeLease lease, long drainNanos) {
        if (!config.cluster().enabled()) {
            return;
        }
        BlockingAwait.quietly(lease.leave(), CLOSE_SECONDS);
        RunRole run = roles == null ? null : roles.run;
        if (run != null && !config.http().shutdownTimeout().isZero()) {
            BlockingAwait.quietly(vertx.timer(LEAVE_GRACE.toMillis(), TimeUnit.MILLISECONDS), CLOSE_SECONDS);
            Duration remaining = config.http().shutdownTimeout().minusNanos(System.nanoTime() - drainNanos);
            Duration timeout = remaining.compareTo(MIN_RUN_DRAIN) < 0 ? MIN_RUN_DRAIN : remaining;
            BlockingAwait.quietly(run.drain(timeout), timeout.toSeconds() + CLOSE_SECONDS);
        }
    }
}
