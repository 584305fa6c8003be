package dev.plumbline.instant;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.LongAdder;

/** Metrics of instant checks. */
final class InstantMetrics {
    private static final String CACHE_REQUESTS = "plumbline.cache.requests";
    private static final String CACHE_HELP = "Cache lookups of instant checks by result and cache tier";

    /** Responses returned by raw path, before routing. A {@link LongAdder} for low contention. */
    final LongAdder responseCache = new LongAdder();

    final Counter memory;
    final Counter database;
    final Counter miss;
    final Counter unavailable;
    private final MeterProvider<Counter> quotaExceeded;

    InstantMetrics(MeterRegistry registry) {
        FunctionCounter.builder(CACHE_REQUESTS, responseCache, LongAdder::sum)
                .description(CACHE_HELP)
                .tags("result", "hit", "tier", "response")
                .register(registry);
        MeterProvider<Counter> cacheRequests =
                Counter.builder(CACHE_REQUESTS).description(CACHE_HELP).withRegistry(registry);
        memory = cacheRequests.withTags("result", "hit", "tier", "memory");
        database = cacheRequests.withTags("result", "hit", "tier", "database");
        miss = cacheRequests.withTags("result", "miss", "tier", "none");
        quotaExceeded = Counter.builder("plumbline.quota.exceeded")
                .description("Instant checks rejected because a quota was exceeded, by policy")
                .withRegistry(registry);
        // exported before the first rejection
        quotaExceeded(InstantChecks.POLICY);
        quotaExceeded(InstantChecks.KEY_POLICY);
        quotaExceeded(InstantChecks.PROBE_POLICY);
        unavailable = Counter.builder("plumbline.instant.checks.unavailable")
                .description("Instant checks rejected because the database or the runners were unavailable")
                .register(registry);
    }

    Counter quotaExceeded(String policy) {
        return quotaExceeded.withTag("policy", policy);
    }
}
