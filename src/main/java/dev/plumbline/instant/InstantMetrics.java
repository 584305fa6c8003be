package dev.plumbline.instant;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;

/** How often an instant check was answered from where. */
final class InstantMetrics {
    /** Answers whose very path had been answered before; counted by the million. */
    final LongAdder hot = new LongAdder();

    final Counter memory;
    final Counter database;
    final Counter miss;
    final Counter overQuota;
    final Counter unavailable;

    InstantMetrics(MeterRegistry registry) {
        FunctionCounter.builder("plumbline.cache", hot, LongAdder::sum)
                .description("Instant checks, by where the answer came from")
                .tag("from", "hot")
                .register(registry);
        memory = cache(registry, "memory");
        database = cache(registry, "database");
        miss = cache(registry, "fresh");
        overQuota = Counter.builder("plumbline.quota.refused")
                .description("Calls refused because a quota was used up")
                .tag("policy", InstantChecks.POLICY)
                .register(registry);
        unavailable = Counter.builder("plumbline.instant.unavailable")
                .description("Instant checks answered 503")
                .register(registry);
    }

    private static Counter cache(MeterRegistry registry, String from) {
        return Counter.builder("plumbline.cache")
                .description("Instant checks, by where the answer came from")
                .tag("from", from)
                .register(registry);
    }
}
