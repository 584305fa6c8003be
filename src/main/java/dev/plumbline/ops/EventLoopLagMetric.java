package dev.plumbline.ops;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.distribution.TimeWindowMax;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/** The maximum delay of timers on the event loops, which indicates blocked event loops. */
public final class EventLoopLagMetric {
    private EventLoopLagMetric() {}

    /** Registers the metric. Returns the consumer of delays in nanoseconds. */
    public static LongConsumer register(MeterRegistry registry) {
        TimeWindowMax lastMinute = new TimeWindowMax(registry.config().clock(), 20_000, 3);
        TimeGauge.builder("plumbline.event.loop.lag", lastMinute, TimeUnit.NANOSECONDS, TimeWindowMax::poll)
                .description("Maximum timer delay on any event loop in the last minute")
                .register(registry);
        return lastMinute::record;
    }
}
