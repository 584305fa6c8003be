package dev.plumbline.ops;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** The metric {@code plumbline_build_info}: constant 1, with the versions as labels. */
public final class BuildInfoMetric {
    private BuildInfoMetric() {}

    /** @param version the version of the program */
    public static void register(MeterRegistry registry, String version) {
        Gauge.builder("plumbline.build.info", () -> 1)
                .description("Version of the program and of the Java runtime")
                .tag("version", version)
                .tag("java", Runtime.version().toString())
                .register(registry);
    }
}
