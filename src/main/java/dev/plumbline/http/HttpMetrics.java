package dev.plumbline.http;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Metrics of the HTTP server. */
public final class HttpMetrics {
    private record Kind(String operation, int status) {}

    private final MeterRegistry registry;
    private final AtomicInteger active = new AtomicInteger();
    private final Map<Kind, Counter> requests = new ConcurrentHashMap<>();

    public HttpMetrics(MeterRegistry registry) {
        this.registry = registry;
        Gauge.builder("plumbline.http.active.requests", active, AtomicInteger::get)
                .description("HTTP requests in progress")
                .register(registry);
    }

    public int begin() {
        return active.incrementAndGet();
    }

    public void end(String operation, int status) {
        active.decrementAndGet();
        count(operation, status);
    }

    /** Counts a response to a request that was never active. */
    public void count(String operation, int status) {
        requests.computeIfAbsent(new Kind(operation, status), kind -> Counter.builder("plumbline.http.requests")
                        .description("HTTP responses by operation and status code")
                        .tag("operation", kind.operation())
                        .tag("status", Integer.toString(kind.status()))
                        .register(registry))
                .increment();
    }
}
