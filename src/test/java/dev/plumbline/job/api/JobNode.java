package dev.plumbline.job.api;

import com.google.common.collect.ClassToInstanceMap;
import com.google.common.collect.ImmutableClassToInstanceMap;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.LocalCheckRouter;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.cluster.NodeLease;
import dev.plumbline.cluster.TestNodes;
import dev.plumbline.http.api.job.JobToken;
import dev.plumbline.job.coordinate.JobCoordinator;
import dev.plumbline.job.coordinate.JobCoordinatorVerticle;
import dev.plumbline.job.coordinate.ScriptedModule;
import dev.plumbline.job.store.JobStateStore;
import dev.plumbline.job.store.JobStore;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.NotificationListener;
import dev.plumbline.result.store.MemoryResultCache;
import dev.plumbline.result.store.ResultCache;
import dev.plumbline.result.store.ResultStore;
import dev.plumbline.run.CheckRunnerVerticle;
import dev.plumbline.run.PartResults;
import dev.plumbline.run.RunnerMetrics;
import dev.plumbline.run.TestRunners;
import dev.plumbline.support.Await;
import dev.plumbline.target.TargetPolicy;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A node without HTTP: runner and coordinator with a real database. */
public final class JobNode implements AutoCloseable {
    static final Duration KEEP = Duration.ofDays(1);
    static final JobStore.Quotas NO_QUOTAS = new JobStore.Quotas(0, 0);

    private static final long TIMEOUT_MS = 20_000;

    /** One thread, so that a check can block the whole node. */
    private final Vertx vertx =
            Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setBlockedThreadCheckInterval(60_000));

    private final String module;
    private final MessageBus bus = MessageBus.of(vertx);
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Database database;
    private final NodeLease lease;
    private final JobCoordinatorVerticle coordinator;

    /**
     * The checks of a node.
     *
     * @param probes created on the Vert.x instance of the node
     * @param clock of the checks
     */
    record Checks(
            ModuleDefinition<?> module,
            TargetPolicy policy,
            Function<Vertx, ClassToInstanceMap<Object>> probes,
            Clock clock) {}

    public JobNode(String url, ScriptedModule module, JobNodeSettings settings) {
        this(
                url,
                new Checks(
                        module,
                        new TargetPolicy(
                                new TargetPolicy.Rules(List.of(), List.of("denied.test"), List.of(), List.of("*")),
                                (address, port) -> false),
                        vertx -> ImmutableClassToInstanceMap.of(),
                        Clock.systemUTC()),
                settings);
    }

    JobNode(String url, Checks checks, JobNodeSettings settings) {
        database = new Database(vertx, url, 4, Duration.ofSeconds(5));
        module = checks.module.description().module();
        ModuleCatalogue modules = new ModuleCatalogue(List.of(checks.module));
        Clock clock = Clock.systemUTC();
        Await.value(vertx.deployVerticle(new CheckRunnerVerticle(
                bus,
                TestRunners.builder(vertx, modules)
                        .probes(checks.probes.apply(vertx))
                        .clock(checks.clock)
                        .metrics(new RunnerMetrics(meters))
                        .parts(new PartResults(vertx, checks.policy, null))
                        .capacity(2_000, 100)
                        .nanos(System::nanoTime)
                        .build(),
                null)));
        lease = TestNodes.lease(vertx, database, settings.lease(), settings.renewal());
        lease.start();
        NotificationListener notifications = new NotificationListener(vertx, url);
        JobCoordinator jobs = new JobCoordinator(new JobCoordinator.Dependencies(
                vertx,
                new LocalCheckRouter(bus, settings.permits()),
                modules,
                checks.policy,
                new ResultCache(
                        new MemoryResultCache(clock, 1 << 20),
                        new ResultStore(vertx, database),
                        Duration.ofMinutes(10)),
                new WorkStore(database, database, KEEP),
                clock,
                settings.coordinator(),
                lease,
                notifications::listening,
                job -> bus.publish(new JobMessage.JobChanged(job))));
        coordinator = new JobCoordinatorVerticle(jobs, notifications, bus, Duration.ofSeconds(5), meters);
        Await.value(vertx.deployVerticle(new JobApiVerticle(
                bus, modules, new JobStore(database, KEEP, NO_QUOTAS), new JobStateStore(vertx, database))));
        Await.value(vertx.deployVerticle(coordinator));
        notifications.start();
    }

    public JobMessage.JobSnapshot create(long account, List<String> items) {
        return create(account, items, false);
    }

    public JobMessage.JobSnapshot create(long account, List<String> items, boolean fresh) {
        return create(account, items, Map.of(), fresh);
    }

    public JobMessage.JobSnapshot create(long account, List<String> items, Map<String, Object> options, boolean fresh) {
        JobMessage.CreateReply reply = ask(
                new JobMessage.CreateJob(
                        JobToken.generate(), account, 0, "test", module, items, options, fresh, null, 1, null),
                JobMessage.CreateReply.class);
        return ((JobMessage.JobCreated) reply).job();
    }

    /** Waits until the job has finished. */
    public JobMessage.JobSnapshot ended(long account, String token) {
        return found(ask(new JobMessage.AwaitJob(account, token, -1, TIMEOUT_MS), JobMessage.JobReply.class));
    }

    public JobMessage.JobSnapshot read(long account, String token) {
        return found(ask(new JobMessage.ReadJob(account, token), JobMessage.JobReply.class));
    }

    public JobMessage.JobSnapshot cancel(long account, String token) {
        return found(ask(new JobMessage.CancelJob(account, token), JobMessage.JobReply.class));
    }

    /** The number of claimed lines that wait. */
    double waiting() {
        return lines("waiting");
    }

    /** The number of lines in progress. */
    double running() {
        return lines("running");
    }

    private double lines(String state) {
        return meters.get("plumbline.job.lines").tag("state", state).gauge().value();
    }

    public List<JobMessage.ResultLine> results(JobMessage.JobSnapshot job) {
        List<JobMessage.ResultLine> lines = new ArrayList<>();
        int next = 0;
        while (next < job.total()) {
            List<Integer> rest = IntStream.range(next, job.total()).boxed().toList();
            JobMessage.ResultsReply reply =
                    ask(new JobMessage.ReadResults(job.id(), job.version(), rest), JobMessage.ResultsReply.class);
            List<JobMessage.ResultLine> page = ((JobMessage.ResultLines) reply).lines();
            lines.addAll(page);
            next = page.isEmpty() ? job.total() : page.get(page.size() - 1).index() + 1;
        }
        return lines;
    }

    <R extends Message> R ask(Message question, Class<R> type) {
        return Await.value(bus.request(question, type, TIMEOUT_MS + 5_000));
    }

    private static JobMessage.JobSnapshot found(JobMessage.@Nullable JobReply reply) {
        return ((JobMessage.JobFound) reply).job();
    }

    public void drain() {
        Await.value(coordinator.drain());
        Await.value(lease.close());
    }

    /**
     * Crashes the node after a delay.
     *
     * @param onCrash called before
     */
    public void crashAfter(long millis, Runnable onCrash) {
        vertx.setTimer(millis, fired -> {
            onCrash.run();
            vertx.close();
        });
    }

    /** Stops without releasing the lease, like a crash. */
    @Override
    public void close() {
        Await.value(vertx.close());
    }
}
