package dev.plumbline.ops;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.distribution.TimeWindowMax;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.concurrent.TimeUnit;

/** The delay of timers on the event loops, which indicates blocked event loops. */
public final class EventLoopLag {
    private static final long PERIOD_MS = 500;

    /** Maximum of the last minute. */
    private final TimeWindowMax max;

    private EventLoopLag(MeterRegistry registry) {
        max = new TimeWindowMax(registry.config().clock(), 20_000, 3);
        TimeGauge.builder("plumbline.event.loop.lag", max, TimeUnit.NANOSECONDS, TimeWindowMax::poll)
                .description("Maximum timer delay on any event loop in the last minute")
                .register(registry);
    }

    /**
     * Measures all event loops.
     *
     * @param loops the number of event loops
     */
    public static void measure(Vertx vertx, int loops, MeterRegistry registry) {
        EventLoopLag lag = new EventLoopLag(registry);
        for (int i = 0; i < loops; i++) {
            // contexts are assigned to the event loops round-robin
            ((VertxInternal) vertx).createEventLoopContext().runOnContext(ignored -> lag.measure(vertx));
        }
    }

    /** Measures the current event loop. */
    private void measure(Vertx vertx) {
        long[] expected = {System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PERIOD_MS)};
        vertx.setPeriodic(PERIOD_MS, tick -> {
            long now = System.nanoTime();
            max.record(Math.max(0, now - expected[0]));
            expected[0] = now + TimeUnit.MILLISECONDS.toNanos(PERIOD_MS);
        });
    }
}
