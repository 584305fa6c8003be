package dev.plumbline.ops;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.distribution.TimeWindowMax;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;

/** The delay of timers on the event loops, which indicates blocked event loops. */
public final class EventLoopLag {
    private static final long PERIOD_MS = 500;

    /** Maximum of the last minute. */
    private final TimeWindowMax max;

    public EventLoopLag(MeterRegistry registry) {
        max = new TimeWindowMax(registry.config().clock(), 20_000, 3);
        TimeGauge.builder("plumbline.event.loop.lag", max, TimeUnit.NANOSECONDS, TimeWindowMax::poll)
                .description("Maximum timer delay on any event loop in the last minute")
                .register(registry);
    }

    /** Measures the current event loop. */
    public void measure(Vertx vertx) {
        long[] expected = {System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PERIOD_MS)};
        vertx.setPeriodic(PERIOD_MS, tick -> {
            long now = System.nanoTime();
            max.record(Math.max(0, now - expected[0]));
            expected[0] = now + TimeUnit.MILLISECONDS.toNanos(PERIOD_MS);
        });
    }
}
