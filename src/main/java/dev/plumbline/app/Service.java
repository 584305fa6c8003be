package dev.plumbline.app;

import dev.plumbline.account.ApiKeyAuthenticator;
import dev.plumbline.account.BootstrapAccount;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.account.SessionService;
import dev.plumbline.bus.CheckRouter;
import dev.plumbline.bus.LocalCheckRouter;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.cluster.NodeLease;
import dev.plumbline.cluster.NodeRecord;
import dev.plumbline.cluster.NodeStore;
import dev.plumbline.config.Config;
import dev.plumbline.egress.OwnEndpoints;
import dev.plumbline.egress.RateLimiterFactory;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.HttpMetrics;
import dev.plumbline.http.HttpServerSettings;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.internal.ConnectionRegistry;
import dev.plumbline.http.web.layout.Assets;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.instant.InstantChecks;
import dev.plumbline.job.api.JobApiVerticle;
import dev.plumbline.job.coordinate.CoordinatorSettings;
import dev.plumbline.job.coordinate.JobCoordinatorVerticle;
import dev.plumbline.job.store.JobStateStore;
import dev.plumbline.job.store.JobStore;
import dev.plumbline.job.store.UsageStore;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.limit.QuotaPolicy;
import dev.plumbline.limit.RateLimitVerticle;
import dev.plumbline.limit.SlidingWindows;
import dev.plumbline.model.NodeRole;
import dev.plumbline.ops.BuildInfoMetric;
import dev.plumbline.ops.EventLoopLag;
import dev.plumbline.ops.HealthCheck;
import dev.plumbline.ops.HttpSelfProbe;
import dev.plumbline.ops.ManagementVerticle;
import dev.plumbline.ops.ProcessMetrics;
import dev.plumbline.result.ResultCache;
import dev.plumbline.result.ResultLookup;
import dev.plumbline.result.ResultStore;
import dev.plumbline.run.CheckEnvironment;
import dev.plumbline.run.CheckRunner;
import dev.plumbline.run.CheckRunnerVerticle;
import dev.plumbline.run.RunnerMetrics;
import dev.plumbline.store.DatabasePools;
import dev.plumbline.store.EmbeddedPostgres;
import dev.plumbline.store.NotificationListener;
import dev.plumbline.store.RetentionTask;
import dev.plumbline.store.SchemaMigrator;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Deploys the verticles in order and stops them in reverse order. */
public final class Service {
    private static final Duration PURGE_PERIOD = Duration.ofSeconds(60);
    private static final Duration WINDOW = Duration.ofHours(1);

    private final Config config;
    private final Clock clock = Clock.systemUTC();
    private final OwnEndpoints own = new OwnEndpoints();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final PageRenderer pages;
    private final ProblemResponder problems;
    private final HttpMetrics httpMetrics;
    private final ConnectionRegistry connections;
    private final ProcessMetrics processMetrics;
    private final Vertx vertx;
    private final int loops;

    private @Nullable Future<ApiContract> contract;
    private @Nullable EmbeddedPostgres embedded;
    private @Nullable DatabasePools databases;
    private @Nullable ResultStore store;
    private @Nullable SlidingWindows windows;
    private @Nullable ApiKeyAuthenticator keys;
    private @Nullable NotificationListener notifications;
    private @Nullable RetentionTask retentionTask;
    private @Nullable HealthCheck health;
    private @Nullable NodeLease lease;
    private @Nullable JobCoordinatorVerticle coordinator;
    private @Nullable HttpAssembly httpAssembly;
    private @Nullable String httpDeployment;

    private Service(Config config) {
        this.config = config;
        this.loops = Runtime.getRuntime().availableProcessors();
        this.pages = new PageRenderer(config.http().publicUrl(), Assets.load());
        this.problems = new ProblemResponder(config.http().publicUrl(), pages);
        this.httpMetrics = new HttpMetrics(registry);
        this.connections = new ConnectionRegistry(config.http(), HttpServerSettings.of(config.http()));
        Gauge.builder("plumbline.http.active.connections", connections, ConnectionRegistry::open)
                .description("Open HTTP connections")
                .register(registry);
        FunctionCounter.builder("plumbline.http.rejected.connections", connections, ConnectionRegistry::rejections)
                .description("HTTP connections rejected or closed because of a connection limit")
                .register(registry);
        this.processMetrics = ProcessMetrics.register(registry);
        BuildInfoMetric.register(registry, Version.text());
        this.vertx = Vertx.builder()
                .with(new VertxOptions().setEventLoopPoolSize(loops))
                .withTransport(connections.transport())
                .build();
    }

    /**
     * Starts the service; blocks until it accepts requests.
     *
     * @param print receives the credentials of the bootstrap account, line by line
     * @throws StartException if the start fails; all resources are released
     */
    public static Service start(Config config, Consumer<String> print) throws StartException {
        Service service = new Service(config);
        try {
            service.open(print);
            return service;
        } catch (StartException | RuntimeException failed) {
            service.stop();
            throw failed;
        }
    }

    /** The URL of the HTTP server. */
    public String address() {
        String host = config.http().host();
        return (config.http().tlsCertificate() == null ? "http://" : "https://")
                + (host.indexOf(':') >= 0 ? "[" + host + "]" : host)
                + ":"
                + config.http().port();
    }

    private void open(Consumer<String> print) throws StartException {
        String invalid = BootstrapAccount.validate(config.bootstrap());
        if (invalid != null) {
            throw new StartException(invalid, null);
        }
        Future<ApiContract> loadedContract =
                ApiContract.load(vertx, config.http().publicUrl());
        contract = loadedContract;
        String url = databaseUrl();
        BlockingAwait.await(SchemaMigrator.run(vertx, url), "database");
        DatabasePools pools = DatabasePools.open(vertx, config.database(), url);
        databases = pools;
        own.add(pools.instant().host(), pools.instant().port());
        MessageBus bus = MessageBus.of(vertx);
        ResultStore results = new ResultStore(vertx, pools.instant(), pools.jobs());
        store = results;
        Map<String, QuotaPolicy> policies = new HashMap<>(AccountAssembly.QUOTAS);
        policies.put(InstantChecks.POLICY, new QuotaPolicy(config.limits().freshPerHour(), WINDOW));
        policies.put(InstantChecks.KEY_POLICY, new QuotaPolicy(config.limits().freshPerHourKey(), WINDOW));
        SlidingWindows quotas = new SlidingWindows(vertx, pools.instant(), policies);
        windows = quotas;
        PasswordHasher passwords = new PasswordHasher(vertx);
        AccountAssembly accountAssembly = new AccountAssembly(vertx, config, pools.instant(), bus, passwords);
        JobStore jobs = new JobStore(
                pools.jobs(),
                config.jobs().retention(),
                new JobStore.Quotas(
                        config.limits().jobsPerHour(), config.limits().jobsPerHourAccount()));
        retentionTask = new RetentionTask(
                vertx,
                pools.maintenance(),
                PURGE_PERIOD,
                List.of(
                        new RetentionTask.Task("results", ResultStore::purgeExpired),
                        new RetentionTask.Task("quotas", SlidingWindows::purgeExpired),
                        new RetentionTask.Task("job_partitions", jobs::maintainPartitions),
                        new RetentionTask.Task("jobs", jobs::purgeExpired),
                        new RetentionTask.Task("idempotency_keys", JobStore::purgeIdempotencyKeys),
                        new RetentionTask.Task("deleted_accounts", JobStore::cancelJobsOfDeletedAccounts),
                        new RetentionTask.Task("sessions", SessionService::purgeExpired)),
                registry);
        health = new HealthCheck(new HttpSelfProbe(vertx, config.http()), pools.instant(), bus);
        gauge("result_read", results::pendingLookups);
        gauge("result_write", results::pendingWrites);
        gauge("quota", quotas::pendingCharges);
        ApiKeyAuthenticator apiKeys = new ApiKeyAuthenticator(vertx, pools.instant());
        NotificationListener listener = new NotificationListener(vertx, url);
        apiKeys.subscribe(listener);
        keys = apiKeys;
        gauge("api_key", apiKeys::pendingLookups);
        gauge("session", accountAssembly.sessions()::pendingLookups);
        Gauge.builder("plumbline.password.hashes.pending", passwords, PasswordHasher::pending)
                .description("Password hashes being computed or queued")
                .register(registry);
        BlockingAwait.await(
                        new BootstrapAccount(pools.instant(), passwords).run(config.bootstrap()),
                        "cannot create the first account")
                .forEach(print);
        ModuleCatalogue modules = ModuleCatalogue.load(config.dns().resolvers().keySet());
        CheckEnvironment environment = environment();

        own.addLocal(config.http().port());
        own.addLocal(config.management().port());
        deploy(() -> new RateLimitVerticle(bus, quotas), 1, "quotas");
        deployRunners(bus, modules, environment);
        ResultCache cache = new ResultCache(clock, config.cache().memoryBytes());
        ResultLookup resultLookup =
                new ResultLookup(cache, results, config.cache().ttl());
        JobStateStore states = new JobStateStore(vertx, pools.jobs());
        UsageStore usage = new UsageStore(pools.jobs());
        deploy(() -> new JobApiVerticle(bus, modules, jobs, states, usage), 1, "job API");
        CoordinatorSettings coordination = CoordinatorSettings.of(
                config.checks().concurrent(), config.targets().perIp().concurrent());
        CheckRouter router = new LocalCheckRouter(bus, coordination.permits());
        deployCoordinator(bus, router, coordination, modules, environment, resultLookup, pools, listener);
        notifications = listener;
        listener.start();
        deployManagement();
        deployHttp(new HttpAssembly(new HttpAssembly.Dependencies(
                vertx,
                config,
                clock,
                registry,
                bus,
                router,
                modules,
                environment,
                cache,
                resultLookup,
                pools.instant(),
                apiKeys,
                accountAssembly,
                pages,
                problems,
                httpMetrics,
                BlockingAwait.await(loadedContract, "openapi.json"))));
        StartupLog.log(config, address(), url);
    }

    private void gauge(String queue, Supplier<Number> queued) {
        Gauge.builder("plumbline.database.pending.requests", queued)
                .description("Requests waiting for a database batch, by queue")
                .tag("queue", queue)
                .register(registry);
    }

    private String databaseUrl() throws StartException {
        String external = config.database().url();
        if (external != null) {
            return external;
        }
        try {
            EmbeddedPostgres started = EmbeddedPostgres.start(config.data().dir());
            embedded = started;
            return started.url();
        } catch (dev.plumbline.store.StoreException failed) {
            throw new StartException(String.valueOf(failed.getMessage()), failed);
        }
    }

    private CheckEnvironment environment() throws StartException {
        try {
            return CheckEnvironment.of(vertx, config, own, RateLimiterFactory.local(vertx), Version.text());
        } catch (IOException unreadable) {
            throw new StartException("Cannot read tls.extra_roots: " + unreadable.getMessage(), unreadable);
        } catch (IllegalArgumentException rule) {
            throw new StartException(String.valueOf(rule.getMessage()), rule);
        }
    }

    private void deployRunners(MessageBus bus, ModuleCatalogue modules, CheckEnvironment environment)
            throws StartException {
        RunnerMetrics metrics = new RunnerMetrics(registry);
        EventLoopLag lag = new EventLoopLag(registry);
        int permits = Math.max(1, config.checks().concurrent() / loops);
        int queue = config.checks().queueSize() / loops;
        deploy(
                () -> new CheckRunnerVerticle(bus, () -> {
                    lag.measure(vertx);
                    return new CheckRunner(vertx, modules, environment.probes(), clock, metrics, permits, queue);
                }),
                loops,
                "check runners");
    }

    private void deployCoordinator(
            MessageBus bus,
            CheckRouter router,
            CoordinatorSettings settings,
            ModuleCatalogue modules,
            CheckEnvironment environment,
            ResultLookup resultLookup,
            DatabasePools pools,
            NotificationListener listener)
            throws StartException {
        NodeLease registered = new NodeLease(
                vertx,
                new NodeStore(pools.jobs(), pools.maintenance()),
                new NodeRecord(null, EnumSet.allOf(NodeRole.class), Version.text(), MessageBus.GENERATION, List.of()));
        lease = registered;
        registered.start();
        JobCoordinatorVerticle verticle = new JobCoordinatorVerticle(new JobCoordinatorVerticle.Dependencies(
                listener,
                bus,
                router,
                modules,
                environment.policy(),
                resultLookup,
                new WorkStore(pools.jobs(), pools.maintenance(), config.jobs().retention()),
                clock,
                settings,
                registered,
                config.http().shutdownTimeout(),
                registry));
        deploy(() -> verticle, 1, "job coordinator");
        coordinator = verticle;
    }

    private void deployManagement() throws StartException {
        HealthCheck ready = java.util.Objects.requireNonNull(health);
        deploy(
                () -> new ManagementVerticle(config.management(), ready, registry),
                1,
                "management.host:port " + config.management().host() + ":"
                        + config.management().port());
    }

    private void deployHttp(HttpAssembly assembly) throws StartException {
        httpAssembly = assembly;
        httpDeployment = deploy(
                assembly::verticle,
                loops,
                (config.http().tlsKey() == null ? "" : "http.tls_certificate, http.tls_key or ")
                        + "http.host:port "
                        + config.http().host()
                        + ":"
                        + config.http().port());
    }

    /**
     * Stops the service: rejects new requests, completes requests in progress, flushes pending writes, closes the
     * database.
     */
    public void stop() {
        if (health != null) {
            health.drain();
        }
        if (httpAssembly != null) {
            httpAssembly.drain();
        }
        Future<Void> drained = coordinator == null ? Future.succeededFuture() : coordinator.drain();
        if (httpDeployment != null) {
            BlockingAwait.quietly(
                    connections.drain(config.http().shutdownTimeout()),
                    config.http().shutdownTimeout().toSeconds() + 5);
            BlockingAwait.quietly(vertx.undeploy(httpDeployment), 5);
        }
        BlockingAwait.quietly(drained, config.http().shutdownTimeout().toSeconds() + 5);
        if (lease != null) {
            BlockingAwait.quietly(lease.close(), 5);
        }
        if (retentionTask != null) {
            retentionTask.stop();
        }
        if (notifications != null) {
            BlockingAwait.quietly(notifications.close(), 5);
        }
        if (keys != null) {
            BlockingAwait.quietly(keys.flush(), 5);
        }
        if (store != null && windows != null) {
            BlockingAwait.quietly(Future.join(store.flush(), windows.flush()), 5);
        }
        if (databases != null) {
            BlockingAwait.quietly(databases.close(), 5);
        }
        if (contract != null) {
            // if the start failed, the contract may still be loading
            BlockingAwait.quietly(contract, 10);
        }
        BlockingAwait.quietly(vertx.close(), 10);
        processMetrics.close();
        if (embedded != null) {
            embedded.stop();
        }
    }

    private String deploy(Supplier<? extends Deployable> verticle, int instances, String what) throws StartException {
        return BlockingAwait.await(
                vertx.deployVerticle(verticle, new DeploymentOptions().setInstances(instances)), what);
    }
}
