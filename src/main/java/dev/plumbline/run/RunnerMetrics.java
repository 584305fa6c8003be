package dev.plumbline.run;

import dev.plumbline.budget.CpuPool;
import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.NodeBudget;
import dev.plumbline.probe.routing.RpkiValidator;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Verdict;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** Metrics of checks, shared by all runners of a node. */
public final class RunnerMetrics {
    private static final Duration[] BUCKETS = LongStream.of(5, 25, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    private record ModuleVerdict(String module, Verdict verdict) {}

    private final MeterRegistry registry;
    private final Counter rejectedByCapacity;
    private final Counter rejectedByTargetLimit;
    private final Map<ModuleVerdict, Counter> checks = new ConcurrentHashMap<>();
    private final Map<String, Timer> durations = new ConcurrentHashMap<>();
    private final Map<String, DistributionSummary> memory = new ConcurrentHashMap<>();

    public RunnerMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.rejectedByCapacity = rejections("capacity");
        this.rejectedByTargetLimit = rejections("target_limit");
    }

    private Counter rejections(String reason) {
        return Counter.builder("plumbline.checks.rejected")
                .description(
                        "Checks that this node rejected or did not complete: too little capacity (full queue, queue timeout, memory or CPU time), or a limit per target, after which lines of jobs are checked later")
                .tag("reason", reason)
                .register(registry);
    }

    /** Registers the numbers of checks of the node. */
    void observe(CheckAdmission admission) {
        Gauge.builder("plumbline.checks.running", admission, CheckAdmission::running)
                .description("Checks in progress")
                .register(registry);
        Gauge.builder("plumbline.checks.queued", admission, CheckAdmission::queued)
                .description("Checks waiting to run")
                .register(registry);
        Gauge.builder("plumbline.checks.permits", admission, CheckAdmission::permits)
                .description("Maximum number of checks in progress")
                .register(registry);
    }

    /** Registers the memory and the queued work of the node. */
    public void observe(NodeBudget budget) {
        Gauge.builder("plumbline.memory.reserved", budget.memory(), MemoryBudget::held)
                .description("Memory that checks and streams have reserved")
                .baseUnit("bytes")
                .register(registry);
        Gauge.builder("plumbline.memory.limit", budget.memory(), MemoryBudget::total)
                .description("Memory budget of checks and streams")
                .baseUnit("bytes")
                .register(registry);
        Gauge.builder("plumbline.memory.waiting", budget.memory(), MemoryBudget::waiting)
                .description("Checks and streams that wait for memory")
                .register(registry);
        Gauge.builder("plumbline.cpu.tasks.queued", budget.cpu(), CpuPool::queued)
                .description("CPU-bound tasks of checks that wait for a thread")
                .register(registry);
    }

    /** Registers the state of the RPKI data. */
    void observe(RpkiValidator validator) {
        Gauge.builder("plumbline.rpki.payloads", validator, RpkiValidator::size)
                .description("Validated ROA payloads of the RPKI validator")
                .register(registry);
        Gauge.builder("plumbline.rpki.data.age", validator, RpkiValidator::ageSeconds)
                .description("Time since the payloads were loaded; NaN before")
                .baseUnit("seconds")
                .register(registry);
        FunctionCounter.builder("plumbline.rpki.load.failures", validator, RpkiValidator::failures)
                .description("Failed attempts to load the data of the RPKI validator")
                .register(registry);
    }

    /** The node has too little capacity for a check. */
    void rejectedByCapacity() {
        rejectedByCapacity.increment();
    }

    /** A limit of the target would delay a check too long. */
    void rejectedByTargetLimit() {
        rejectedByTargetLimit.increment();
    }

    /** @param peakBytes the largest memory that the check had reserved */
    void completed(CheckResult result, long peakBytes) {
        checks.computeIfAbsent(
                        new ModuleVerdict(result.module(), result.verdict()), key -> Counter.builder("plumbline.checks")
                                .description("Completed checks by module and verdict")
                                .tag("module", key.module())
                                .tag("verdict", key.verdict().id())
                                .register(registry))
                .increment();
        durations
                .computeIfAbsent(result.module(), module -> Timer.builder("plumbline.check.duration")
                        .description("Duration of checks by module")
                        .tag("module", module)
                        .serviceLevelObjectives(BUCKETS)
                        .register(registry))
                .record(result.durationMs(), TimeUnit.MILLISECONDS);
        memory.computeIfAbsent(result.module(), module -> DistributionSummary.builder("plumbline.check.memory")
                        .description("Peak memory reserved by a check, by module")
                        .baseUnit("bytes")
                        .tag("module", module)
                        .register(registry))
                .record((double) peakBytes);
    }
}
