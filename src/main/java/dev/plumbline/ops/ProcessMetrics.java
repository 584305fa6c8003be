package dev.plumbline.ops;

import com.sun.management.OperatingSystemMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import java.lang.management.ManagementFactory;

/** Metrics of the process: memory, garbage collection, CPU, threads, open files and uptime. */
public final class ProcessMetrics implements AutoCloseable {
    private final JvmGcMetrics collections = new JvmGcMetrics();

    private ProcessMetrics() {}

    public static ProcessMetrics register(MeterRegistry registry) {
        ProcessMetrics metrics = new ProcessMetrics();
        metrics.collections.bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        processor(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        return metrics;
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

    /** Ends the notifications of garbage collections. */
    @Override
    public void close() {
        collections.close();
    }
}
