package dev.plumbline.support;

import dev.plumbline.account.ApiKeyAuthenticator;
import dev.plumbline.account.PageKeyStore;
import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.http.AccessLog;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.HttpMetrics;
import dev.plumbline.http.api.WorkerLimit;
import dev.plumbline.http.api.job.JobOperations;
import dev.plumbline.http.api.policy.PolicyService;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.HttpVerticle;
import dev.plumbline.http.server.ResponseCacheHandler;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.policy.ExpressionPrograms;
import dev.plumbline.policy.InvalidPolicyException;
import dev.plumbline.policy.PolicyCatalogue;
import dev.plumbline.postgres.NotificationListener;
import dev.plumbline.result.store.MemoryResultCache;
import dev.plumbline.target.TargetPolicy;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The HTTP server with the job operations and {@link InMemoryJobs}. */
public final class JobApiServer implements AutoCloseable {
    /** Memory for 64 result streams. */
    private static final long STREAMS_BYTES = 64 * 512L * 1024;

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ApiKeyAuthenticator keys;
    private final NotificationListener notifications;
    private final JobOperations jobs;
    private final String coordinator;
    private final int port;

    /** @param settings additional settings by the name of the environment variable without the prefix */
    public JobApiServer(TestDatabase database, InMemoryJobs memory, Map<String, String> settings) {
        this(database, memory, settings, contract -> contract);
    }

    /** @param change returns the contract with other rules for requests */
    public JobApiServer(
            TestDatabase database,
            InMemoryJobs memory,
            Map<String, String> settings,
            UnaryOperator<JsonObject> change) {
        MessageBus bus = MessageBus.of(vertx);
        coordinator = Await.value(vertx.deployVerticle(context -> memory.serve(bus)));
        port = FreePorts.next();
        Config config = config(settings);
        ProblemResponder problems = new ProblemResponder(config.http().publicUrl(), (ctx, problem) -> ctx.fail(500));
        ModuleCatalogue modules = ModuleCatalogue.load();
        ApiContract shipped = Await.value(ApiContract.load(vertx, config.http().publicUrl(), Set.of()));
        ApiContract contract =
                shipped.withPublished(change.apply(shipped.published().copy()));
        keys = new ApiKeyAuthenticator(vertx, database.open());
        notifications = new NotificationListener(vertx, database.url());
        keys.subscribe(notifications);
        notifications.start();
        WorkerLimit workers = new WorkerLimit(vertx, 1, 256, "Too many results are being processed. Retry shortly.");
        jobs = new JobOperations(
                vertx,
                bus,
                modules,
                new TargetPolicy(
                        new TargetPolicy.Rules(List.of(), List.of(), List.of(), List.of("*")),
                        (address, port) -> false),
                contract,
                new ApiKeyHandler(keys, problems),
                new RequestBodyReader(problems),
                problems,
                config.http(),
                config.database().timeout(),
                new MemoryBudget(vertx, STREAMS_BYTES, 1),
                workers,
                policies(modules, workers, bus),
                new PageKeyStore(database.open()));
        List<ApiOperation> operations = new ArrayList<>(jobs.all());
        for (String other : contract.operationIds()) {
            if (jobs.all().stream().noneMatch(job -> job.operationId().equals(other))) {
                operations.add(new ApiOperation(other, ctx -> ctx.fail(404)));
            }
        }
        ResponseCacheHandler cold = new ResponseCacheHandler(
                new MemoryResultCache(Clock.systemUTC(), 1),
                null,
                Clock.systemUTC(),
                config.cache().ttl());
        HttpMetrics metrics = new HttpMetrics(registry);
        Await.value(vertx.deployVerticle(new HttpVerticle(
                config.http(),
                contract,
                operations,
                routes -> {},
                cold,
                problems,
                metrics,
                new AccessLog(false, new ClientAddress(List.of())),
                request -> Future.succeededFuture(false))));
    }

    private static PolicyService policies(ModuleCatalogue modules, WorkerLimit workers, MessageBus bus) {
        ExpressionPrograms programs = new ExpressionPrograms();
        try {
            return new PolicyService(
                    PolicyCatalogue.load(null, modules::description, programs),
                    programs,
                    workers,
                    bus,
                    new ClientAddress(List.of()),
                    Clock.systemUTC());
        } catch (InvalidPolicyException | IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private Config config(Map<String, String> settings) {
        Map<String, String> environment = new TreeMap<>();
        environment.put("PLUMBLINE_HTTP_PORT", Integer.toString(port));
        settings.forEach((name, value) -> environment.put("PLUMBLINE_" + name, value));
        try {
            return ConfigLoader.load(null, environment);
        } catch (ConfigException wrong) {
            throw new AssertionError(wrong);
        }
    }

    public int port() {
        return port;
    }

    /** Unregisters the job coordinator. */
    public void unregisterCoordinator() {
        Await.value(vertx.undeploy(coordinator));
    }

    /** Ends held requests, as at shutdown. */
    public void drain() {
        jobs.drain();
    }

    /** The number of active requests. */
    public int active() {
        return (int) registry.get("plumbline.http.active.requests").gauge().value();
    }

    @Override
    public void close() {
        Await.value(notifications.close());
        Await.value(keys.flush());
        Await.value(vertx.close());
    }
}
