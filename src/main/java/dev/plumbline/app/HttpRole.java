package dev.plumbline.app;

import dev.plumbline.account.ApiKeyAuthenticator;
import dev.plumbline.account.BootstrapAccount;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.bus.CheckRouter;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.HttpMetrics;
import dev.plumbline.http.HttpServerSettings;
import dev.plumbline.http.api.policy.PolicyService;
import dev.plumbline.http.api.probe.ProbeOperation;
import dev.plumbline.http.api.share.SharedResultService;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.internal.ConnectionRegistry;
import dev.plumbline.http.web.layout.Assets;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.instant.InstantChecks;
import dev.plumbline.job.api.JobApiVerticle;
import dev.plumbline.job.store.JobStateStore;
import dev.plumbline.policy.ExpressionPrograms;
import dev.plumbline.policy.InvalidPolicyException;
import dev.plumbline.policy.PolicyCatalogue;
import dev.plumbline.quota.QuotaPolicy;
import dev.plumbline.quota.RateLimitVerticle;
import dev.plumbline.quota.SlidingWindowQuotas;
import dev.plumbline.target.ExceptionMessage;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.transport.Transport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The parts of a node with the role {@code http}: HTTP server, accounts, quotas, and requests for jobs. */
final class HttpRole {
    private static final Duration WINDOW = Duration.ofHours(1);
    private static final long CLOSE_SECONDS = 5;

    /** Unread responses hold at most this share of the memory of checks, in addition to it. */
    private static final int UNREAD_SHARE = 2;

    private final Config config;
    private final PageRenderer pages;
    private final ProblemResponder problems;
    private final HttpMetrics metrics;
    private final ConnectionRegistry connections;

    private @Nullable Future<ApiContract> contract;
    private @Nullable Deployed deployed;
    private @Nullable Listening listening;

    /** The parts that the HTTP server uses. */
    private record Deployed(
            SlidingWindowQuotas quotas,
            ApiKeyAuthenticator keys,
            AccountAssembly accounts,
            PasswordHasher passwords,
            ExpressionPrograms programs,
            PolicyCatalogue policies) {}

    /** @param deployment the ID of the verticles of the server */
    private record Listening(Vertx vertx, String deployment, HttpAssembly assembly) {}

    HttpRole(Config config, MeterRegistry registry) {
        this.config = config;
        this.pages = new PageRenderer(config.http().publicUrl(), Assets.load());
        this.problems = new ProblemResponder(config.http().publicUrl(), pages::show);
        this.metrics = new HttpMetrics(registry);
        this.connections = new ConnectionRegistry(config.http(), HttpServerSettings.of(config.http()));
        Gauge.builder("plumbline.http.active.connections", connections, ConnectionRegistry::open)
                .description("Open HTTP connections")
                .register(registry);
        FunctionCounter.builder("plumbline.http.rejected.connections", connections, ConnectionRegistry::rejections)
                .description("HTTP connections rejected or closed because of a connection limit")
                .register(registry);
    }

    /** The transport with which Vert.x must be built. */
    Transport transport() {
        return connections.transport();
    }

    /**
     * Starts to load openapi.json, which takes longer than the other steps of the start.
     *
     * @param starter must not be closed before {@link #listen} or {@link #awaitLoaded} returns
     */
    void load(Vertx starter) {
        contract = ApiContract.load(
                starter, config.http().publicUrl(), config.probe().enabled() ? Set.of() : Set.of(ProbeOperation.PATH));
    }

    /** Deploys all parts except the HTTP server. */
    void deploy(NodeContext node) throws StartException, ConfigException {
        ExpressionPrograms programs = new ExpressionPrograms();
        PolicyCatalogue policies = policies(node, programs);
        SlidingWindowQuotas quotas =
                new SlidingWindowQuotas(node.vertx(), node.databases().instant(), quotas());
        PasswordHasher passwords = new PasswordHasher(node.vertx());
        AccountAssembly accounts =
                new AccountAssembly(node.vertx(), config, node.databases().instant(), node.bus(), passwords);
        ApiKeyAuthenticator keys =
                new ApiKeyAuthenticator(node.vertx(), node.databases().instant());
        deployed = new Deployed(quotas, keys, accounts, passwords, programs, policies);
        keys.subscribe(node.notifications());
        node.gauge("quota", quotas::pendingCharges);
        node.gauge("api_key", keys::pendingLookups);
        node.gauge("session", accounts.sessions()::pendingLookups);
        Gauge.builder("plumbline.password.hashes.pending", passwords, PasswordHasher::pending)
                .description("Password hashes being computed or queued")
                .register(node.registry());
        node.deploy(() -> new RateLimitVerticle(node.bus(), quotas), 1, "quotas");
        JobStateStore states = new JobStateStore(node.vertx(), node.databases().jobs());
        node.deploy(() -> new JobApiVerticle(node.bus(), node.modules(), node.jobs(), states), 1, "job API");
    }

    private PolicyCatalogue policies(NodeContext node, ExpressionPrograms programs) throws ConfigException {
        Path folder = config.policies().dir();
        try {
            return PolicyCatalogue.load(folder, node.modules()::description, programs);
        } catch (InvalidPolicyException invalid) {
            throw new ConfigException(List.of("policies.dir contains an invalid policy. " + ExceptionMessage.of(invalid)
                    + " Fix it; `plumbline policy test FILE` validates a file."));
        } catch (IOException unreadable) {
            throw ConfigException.ofFile(
                    "policies.dir",
                    Objects.toString(folder, ""),
                    "it or one of its files cannot be read",
                    "the path of a readable directory with policies");
        }
    }

    private Map<String, QuotaPolicy> quotas() {
        Map<String, QuotaPolicy> policies = new HashMap<>(AccountAssembly.QUOTAS);
        putChecks(policies, InstantChecks.POLICY, config.limits().freshPerHour());
        putChecks(policies, InstantChecks.KEY_POLICY, config.limits().freshPerHourKey());
        if (config.probe().enabled()) {
            putChecks(policies, InstantChecks.PROBE_POLICY, config.limits().probesPerMinute());
        }
        policies.put(SharedResultService.POLICY, new QuotaPolicy(SharedResultService.PER_HOUR, WINDOW));
        // create_job charges these
        policies.put(
                JobMessage.QuotaStatus.PER_KEY, new QuotaPolicy(config.limits().jobsPerHour(), WINDOW));
        policies.put(
                JobMessage.QuotaStatus.PER_ACCOUNT,
                new QuotaPolicy(config.limits().jobsPerHourAccount(), WINDOW));
        policies.put(PolicyService.POLICY, new QuotaPolicy(PolicyService.PER_MINUTE, PolicyService.WINDOW));
        return policies;
    }

    private static void putChecks(Map<String, QuotaPolicy> policies, String policy, int limit) {
        policies.put(policy, new QuotaPolicy(limit, InstantChecks.window(policy)));
    }

    /**
     * Creates the first account and starts the HTTP server, as the last step of the start, so that no credentials are
     * printed by a start that fails.
     *
     * @param print receives the credentials of the first account, line by line
     */
    void listen(NodeContext node, CheckRouter router, Consumer<String> print) throws StartException {
        Deployed parts = Objects.requireNonNull(deployed);
        HttpAssembly server = new HttpAssembly(
                node,
                router,
                parts.keys,
                parts.accounts,
                pages,
                problems,
                metrics,
                BlockingAwait.await(Objects.requireNonNull(contract), "openapi.json"),
                parts.programs,
                parts.policies,
                quotas());
        MemoryBudget checks = node.budget().memory();
        connections.limitUnreadResponses(
                new MemoryBudget(node.vertx(), checks.total() / UNREAD_SHARE, MemoryBudget.CLIENT_SHARE));
        createFirstAccount(node, parts.passwords, print);
        String deployment = node.deploy(
                server::verticle,
                NodeContext.loops(),
                config.http().host() + ":" + config.http().port() + " (http.host, http.port)");
        listening = new Listening(node.vertx(), deployment, server);
    }

    private void createFirstAccount(NodeContext node, PasswordHasher passwords, Consumer<String> print)
            throws StartException {
        BootstrapAccount account = new BootstrapAccount(node.databases().instant(), passwords);
        BlockingAwait.await(
                account.run(config.bootstrap(), credentials -> node.vertx().executeBlocking(() -> {
                    credentials.forEach(print);
                    return null;
                })),
                "cannot create the first account");
    }

    /** Waits for {@code http.shutdown_delay}, in which requests are accepted, if the HTTP server is running. */
    void awaitShutdownDelay() {
        Duration delay = config.http().shutdownDelay();
        if (listening != null && !delay.isZero()) {
            BlockingAwait.quietly(
                    listening.vertx.timer(delay.toMillis(), TimeUnit.MILLISECONDS), delay.toSeconds() + CLOSE_SECONDS);
        }
    }

    /** Completes requests in progress and stops the HTTP server. */
    void drain() {
        if (listening != null) {
            listening.assembly.drain();
            Duration timeout = config.http().shutdownTimeout();
            BlockingAwait.quietly(connections.drain(timeout), timeout.toSeconds() + CLOSE_SECONDS);
            BlockingAwait.quietly(listening.vertx.undeploy(listening.deployment), CLOSE_SECONDS);
        }
    }

    /** Completes pending writes; call before the database is closed. */
    void flush() {
        if (deployed != null) {
            BlockingAwait.quietly(deployed.keys.flush(), CLOSE_SECONDS);
            BlockingAwait.quietly(deployed.quotas.flush(), CLOSE_SECONDS);
        }
    }

    /** Waits for openapi.json, which may still be loading if the start failed. */
    void awaitLoaded() {
        if (contract != null && !contract.isComplete()) {
            BlockingAwait.quietly(contract, 2 * CLOSE_SECONDS);
        }
    }
}
