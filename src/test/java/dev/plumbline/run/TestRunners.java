package dev.plumbline.run;

import com.google.common.collect.ClassToInstanceMap;
import dev.plumbline.budget.CpuPool;
import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.NodeBudget;
import dev.plumbline.bus.Message;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.concurrent.EventLoopLag;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.egress.OwnEndpoints;
import dev.plumbline.egress.RateLimiterFactory;
import dev.plumbline.result.CheckResult;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.function.LongSupplier;

/**
 * Check runners with a memory budget of 256 MiB and two threads for CPU-bound work. A lack of CPU time of this machine
 * does not change their results, except if a test sets the clock.
 */
public final class TestRunners {
    private static final int MAX_REPETITIONS = 3;
    static final long MEMORY_BYTES = 256L << 20;

    private TestRunners() {}

    /**
     * @param permits maximum number of concurrent checks
     * @param maxQueued maximum length of each of the two queues
     */
    public static CheckRunner create(
            Vertx vertx,
            ModuleCatalogue modules,
            ClassToInstanceMap<Object> probes,
            Clock clock,
            RunnerMetrics metrics,
            PartResults parts,
            int permits,
            int maxQueued) {
        return create(vertx, modules, probes, clock, metrics, parts, permits, maxQueued, MEMORY_BYTES);
    }

    /** @param nanos clock of durations and of the event loop lag */
    public static CheckRunner create(
            Vertx vertx,
            ModuleCatalogue modules,
            ClassToInstanceMap<Object> probes,
            Clock clock,
            RunnerMetrics metrics,
            PartResults parts,
            int permits,
            int maxQueued,
            LongSupplier nanos) {
        return create(vertx, modules, probes, clock, metrics, parts, permits, maxQueued, MEMORY_BYTES, nanos, nanos);
    }

    /** @param memoryBytes the memory budget of the node */
    static CheckRunner create(
            Vertx vertx,
            ModuleCatalogue modules,
            ClassToInstanceMap<Object> probes,
            Clock clock,
            RunnerMetrics metrics,
            PartResults parts,
            int permits,
            int maxQueued,
            long memoryBytes) {
        return create(
                vertx,
                modules,
                probes,
                clock,
                metrics,
                parts,
                permits,
                maxQueued,
                memoryBytes,
                () -> 0,
                System::nanoTime);
    }

    private static CheckRunner create(
            Vertx vertx,
            ModuleCatalogue modules,
            ClassToInstanceMap<Object> probes,
            Clock clock,
            RunnerMetrics metrics,
            PartResults parts,
            int permits,
            int maxQueued,
            long memoryBytes,
            LongSupplier lagNanos,
            LongSupplier nanos) {
        NodeBudget budget = budget(vertx, memoryBytes);
        return new CheckRunner(
                vertx,
                modules,
                probes,
                clock,
                metrics,
                parts,
                new CheckAdmission(vertx, metrics, permits, maxQueued, budget.memory()::isScarce),
                budget,
                new EventLoopLag(vertx, lagNanos, delay -> {}),
                nanos);
    }

    /** The probes of the service. */
    public static CheckEnvironment environment(Vertx vertx, Config config) throws ConfigException {
        return CheckEnvironment.of(
                vertx,
                config,
                CheckEnvironment.policy(config, new OwnEndpoints()),
                RateLimiterFactory.local(vertx),
                "test");
    }

    /** A runner with the probes of the service. */
    public static CheckRunner create(
            Vertx vertx, ModuleCatalogue modules, Config config, Clock clock, int permits, int maxQueued)
            throws ConfigException {
        CheckEnvironment environment = environment(vertx, config);
        return create(
                vertx,
                modules,
                environment.probes(),
                clock,
                new RunnerMetrics(new SimpleMeterRegistry()),
                new PartResults(vertx, environment.policy(), null),
                permits,
                maxQueued);
    }

    /** Runs a check, and repeats it if this machine had no CPU time for it, as a job does. */
    public static Future<CheckResult> run(CheckRunner runner, Message.RunCheck request) {
        return run(runner, request, MAX_REPETITIONS);
    }

    private static Future<CheckResult> run(CheckRunner runner, Message.RunCheck request, int repetitions) {
        return runner.run(request)
                .compose(reply -> reply instanceof Message.Refused && repetitions > 0
                        ? run(runner, request, repetitions - 1)
                        : Future.succeededFuture(((Message.Checked) reply).result()));
    }

    /** A budget whose clients can hold all memory. */
    static NodeBudget budget(Vertx vertx, long bytes) {
        return new NodeBudget(new MemoryBudget(vertx, bytes, 1), new CpuPool(2, CpuPool.MAX_QUEUED));
    }
}
