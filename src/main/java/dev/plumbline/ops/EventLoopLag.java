package dev.plumbline.ops;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.distribution.TimeWindowMax;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;

/** How late timers fire: what a blocked event loop does to everybody on it. */
public final class EventLoopLag {
    private static final long PERIOD_MS = 500;

    /** The worst of the last minute, so that every scraper sees it. */
    private final TimeWindowMax worst;

    public EventLoopLag(MeterRegistry registry) {
        worst = new TimeWindowMax(registry.config().clock(), 20_000, 3);
        TimeGauge.builder("plumbline.event.loop.lag", worst, TimeUnit.NANOSECONDS, TimeWindowMax::poll)
                .description("Maximum timer delay on any event loop in the last minute")
                .register(registry);
    }

    /** Watches the event loop that this is called on. */
    public void watch(Vertx vertx) {
        long[] expected = {System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PERIOD_MS)};
        vertx.setPeriodic(PERIOD_MS, tick -> {
            long now = System.nanoTime();
            worst.record(Math.max(0, now - expected[0]));
            expected[0] = now + TimeUnit.MILLISECONDS.toNanos(PERIOD_MS);
        });
    }
}
