package dev.plumbline.cluster;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts permits that cross nodes. */
final class PermitMetrics {
    /** Permits granted by other nodes. */
    final Counter granted;
    /** Requests that another node rejected or did not decide in time. */
    final Counter rejected;
    /** Permits that this node granted to another node, which did not release them in time. */
    final Counter expired;

    PermitMetrics(MeterRegistry registry) {
        granted = counter(registry, "granted");
        rejected = counter(registry, "rejected");
        expired = counter(registry, "expired");
    }

    private static Counter counter(MeterRegistry registry, String outcome) {
        return Counter.builder("plumbline.cluster.remote.permits")
                .description("Permits of rate limits requested from other nodes (granted, rejected),"
                        + " and permits that another node did not release in time (expired)")
                .tag("outcome", outcome)
                .register(registry);
    }
}
