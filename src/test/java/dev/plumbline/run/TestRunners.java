package dev.plumbline.run;

import com.google.common.collect.ClassToInstanceMap;
import com.google.common.collect.ImmutableClassToInstanceMap;
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
import dev.plumbline.result.ResultJson;
import dev.plumbline.support.TestPolicies;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.function.LongSupplier;

/** Check runners for tests. */
public final class TestRunners {
    private static final int MAX_REPETITIONS = 3;
    static final long MEMORY_BYTES = 256L << 20;

    private TestRunners() {}

    /** The probes of the service. */
    public static CheckEnvironment environment(Vertx vertx, Config config) throws ConfigException {
        return CheckEnvironment.of(
                vertx,
                config,
                CheckEnvironment.policy(config, new OwnEndpoints()),
                RateLimiterFactory.local(vertx),
                "test");
    }

    public static Builder builder(Vertx vertx, ModuleCatalogue modules) {
        return new Builder(vertx, modules);
    }

    /**
     * A runner without probes that runs one check at a time and queues none, with a memory budget of 256 MiB and two
     * threads for CPU-bound work. A lack of CPU time of this machine does not change its results, except if a test sets
     * the clock of durations.
     */
    public static final class Builder {
        private final Vertx vertx;
        private final ModuleCatalogue modules;
        private ClassToInstanceMap<Object> probes = ImmutableClassToInstanceMap.of();
        private Clock clock = Clock.systemUTC();
        private RunnerMetrics metrics = new RunnerMetrics(new SimpleMeterRegistry());
        private PartResults parts;
        private int permits = 1;
        private int maxQueued;
        private NodeBudget budget;
        private LongSupplier lagNanos = () -> 0;
        private LongSupplier nanos = System::nanoTime;

        private Builder(Vertx vertx, ModuleCatalogue modules) {
            this.vertx = vertx;
            this.modules = modules;
            this.parts = new PartResults(vertx, TestPolicies.open(), null);
            this.budget = TestRunners.budget(vertx, MEMORY_BYTES);
        }

        /** The probes and the target policy of the service. */
        public Builder config(Config config) throws ConfigException {
            return environment(TestRunners.environment(vertx, config));
        }

        public Builder environment(CheckEnvironment environment) {
            return probes(environment.probes()).parts(new PartResults(vertx, environment.policy(), null));
        }

        public Builder probes(ClassToInstanceMap<Object> added) {
            probes = added;
            return this;
        }

        public Builder clock(Clock wall) {
            clock = wall;
            return this;
        }

        public Builder metrics(RunnerMetrics counted) {
            metrics = counted;
            return this;
        }

        public Builder parts(PartResults results) {
            parts = results;
            return this;
        }

        /**
         * @param concurrent maximum number of concurrent checks
         * @param queued maximum length of each of the two queues
         */
        public Builder capacity(int concurrent, int queued) {
            permits = concurrent;
            maxQueued = queued;
            return this;
        }

        /** The memory budget of the node. */
        Builder memory(long bytes) {
            return budget(TestRunners.budget(vertx, bytes));
        }

        /** The budget of the node. */
        Builder budget(NodeBudget other) {
            budget = other;
            return this;
        }

        /** The clock of durations and of the event loop lag. */
        public Builder nanos(LongSupplier monotonic) {
            nanos = monotonic;
            lagNanos = monotonic;
            return this;
        }

        public CheckRunner build() {
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
    }

    /** Runs a check, and repeats it if this machine had no CPU time for it, as a job does. */
    public static Future<CheckResult> run(CheckRunner runner, Message.RunCheck request) {
        return run(runner, request, MAX_REPETITIONS);
    }

    private static Future<CheckResult> run(CheckRunner runner, Message.RunCheck request, int repetitions) {
        return runner.run(request)
                .compose(reply -> reply instanceof Message.Refused && repetitions > 0
                        ? run(runner, request, repetitions - 1)
                        : Future.succeededFuture(result(reply)));
    }

    /** The result of a completed check; incomplete if it cannot be cached. */
    static CheckResult result(Message.RunReply reply) {
        Message.CompletedCheck completed = (Message.CompletedCheck) reply;
        CheckResult result = ResultJson.read(completed.json());
        return completed.cacheable() ? result : result.incomplete();
    }

    /** A budget whose clients can hold all memory. */
    static NodeBudget budget(Vertx vertx, long bytes) {
        return new NodeBudget(new MemoryBudget(vertx, bytes, 1), new CpuPool(2, CpuPool.MAX_QUEUED));
    }
}
