package dev.plumbline.instant;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
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
    private final Counter quotaExceeded;
    private final Counter keyQuotaExceeded;
    final Counter unavailable;

    InstantMetrics(MeterRegistry registry) {
        FunctionCounter.builder(CACHE_REQUESTS, responseCache, LongAdder::sum)
                .description(CACHE_HELP)
                .tags(tags("hit", "response"))
                .register(registry);
        memory = cacheRequests(registry, tags("hit", "memory"));
        database = cacheRequests(registry, tags("hit", "database"));
        miss = cacheRequests(registry, tags("miss", "none"));
        quotaExceeded = quotaExceeded(registry, InstantChecks.POLICY);
        keyQuotaExceeded = quotaExceeded(registry, InstantChecks.KEY_POLICY);
        unavailable = Counter.builder("plumbline.instant.checks.unavailable")
                .description("Instant checks rejected because the database or the runners were unavailable")
                .register(registry);
    }

    Counter quotaExceeded(String policy) {
        return policy.equals(InstantChecks.KEY_POLICY) ? keyQuotaExceeded : quotaExceeded;
    }

    private static Counter quotaExceeded(MeterRegistry registry, String policy) {
        return Counter.builder("plumbline.quota.exceeded")
                .description("Instant checks rejected because a quota was exceeded, by policy")
                .tag("policy", policy)
                .register(registry);
    }

    private static Tags tags(String result, String tier) {
        return Tags.of("result", result, "tier", tier);
    }

    private static Counter cacheRequests(MeterRegistry registry, Tags tags) {
        return Counter.builder(CACHE_REQUESTS)
                .description(CACHE_HELP)
                .tags(tags)
                .register(registry);
    }
}
