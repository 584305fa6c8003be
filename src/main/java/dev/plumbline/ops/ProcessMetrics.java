package dev.plumbline.ops;

import com.sun.management.OperatingSystemMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.distribution.TimeWindowMax;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/** Metrics of the process: version, memory, garbage collection, CPU, threads, event loops, open files and uptime. */
public final class ProcessMetrics {

    private ProcessMetrics() {}

    /**
     * @param version the version of the program
     * @return to be closed with the registry: it receives the notifications of garbage collections
     */
    public static JvmGcMetrics register(MeterRegistry registry, String version) {
        JvmGcMetrics collections = new JvmGcMetrics();
        collections.bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        processor(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        Gauge.builder("plumbline.build.info", () -> 1)
                .description("Version of the program and of the Java runtime")
                .tag("version", version)
                .tag("java", Runtime.version().toString())
                .register(registry);
        return collections;
    }

    // the names of ProcessorMetrics in Micrometer do not follow the conventions of Prometheus
    private static void processor(MeterRegistry registry) {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        FunctionCounter.builder("process.cpu", system, bean -> bean.getProcessCpuTime() / 1e9)
                .description("CPU time of the process")
                .baseUnit("seconds")
                .register(registry);
        Gauge.builder("process.cpu.usage", system, OperatingSystemMXBean::getProcessCpuLoad)
                .description("Recent CPU utilization of the process, 0 to 1")
                .register(registry);
        Gauge.builder("system.cpu.usage", system, OperatingSystemMXBean::getCpuLoad)
                .description("Recent CPU utilization of the system, 0 to 1")
                .register(registry);
        Gauge.builder("system.load.average.1m", system, OperatingSystemMXBean::getSystemLoadAverage)
                .description("Processes that run or wait for a processor, mean of the last minute")
                .register(registry);
        Gauge.builder("system.cpus", Runtime.getRuntime(), Runtime::availableProcessors)
                .description("Processors available to the process")
                .register(registry);
    }

    /** Registers the metric of timer delays. Returns the consumer of delays in nanoseconds. */
    public static LongConsumer registerEventLoopLag(MeterRegistry registry) {
        TimeWindowMax lastMinute = new TimeWindowMax(registry.config().clock(), 20_000, 3);
        TimeGauge.builder("plumbline.event.loop.lag", lastMinute, TimeUnit.NANOSECONDS, TimeWindowMax::poll)
                .description("Maximum timer delay on any event loop in the last minute")
                .register(registry);
        return lastMinute::record;
    }
}
