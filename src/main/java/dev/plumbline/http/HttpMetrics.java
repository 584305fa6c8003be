package dev.plumbline.http;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.DoubleStream;

/**
 * Metrics of the HTTP server. Those of Vert.x would add cost to each request. The latency includes cache hits, as
 * clients observe it. It is a histogram, because percentiles of several nodes cannot be combined.
 */
public final class HttpMetrics {
    /** The upper bounds of the histogram, in milliseconds. */
    private static final Duration[] BUCKETS = DoubleStream.of(
                    1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000)
            .mapToObj(ms -> Duration.ofNanos(Math.round(ms * 1_000_000)))
            .toArray(Duration[]::new);

    private record Kind(String operation, int status) {}

    private final MeterRegistry registry;
    private final AtomicInteger active = new AtomicInteger();
    private final Map<Kind, Counter> requests = new ConcurrentHashMap<>();
    private final Map<String, Timer> durations = new ConcurrentHashMap<>();

    public HttpMetrics(MeterRegistry registry) {
        this.registry = registry;
        Gauge.builder("plumbline.http.active.requests", active, AtomicInteger::get)
                .description("HTTP requests in progress")
                .register(registry);
    }

    public int begin() {
        return active.incrementAndGet();
    }

    /**
     * @param operation the operationId, the name of a page, or {@code none}
     * @param nanos the time since {@link #begin}
     */
    public void end(String operation, int status, long nanos) {
        active.decrementAndGet();
        durations(operation).record(nanos, TimeUnit.NANOSECONDS);
        count(operation, status);
    }

    /** The durations of an operation. */
    public Timer durations(String operationId) {
        return durations.computeIfAbsent(operationId, operation -> Timer.builder("plumbline.http.request.duration")
                .description("Duration of HTTP requests by operation, including cache hits")
                .tag("operation", operation)
                .serviceLevelObjectives(BUCKETS)
                .register(registry));
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
