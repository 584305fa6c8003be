package dev.plumbline.ops;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** How late timers fire: what a blocked event loop does to everybody on it. */
public final class LoopLag {
  private static final long PERIOD_MS = 500;

  private final AtomicLong worstNanos = new AtomicLong();

  public LoopLag(MeterRegistry registry) {
    TimeGauge.builder(
            "plumbline.event.loop.lag",
            worstNanos,
            TimeUnit.NANOSECONDS,
            worst -> worst.getAndSet(0))
        .description("The latest that a timer fired since the last scrape, over all event loops")
        .register(registry);
  }

  /** Watches the event loop that this is called on. */
  public void watch(Vertx vertx) {
    long[] expected = {System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PERIOD_MS)};
    vertx.setPeriodic(
        PERIOD_MS,
        tick -> {
          long now = System.nanoTime();
          worstNanos.accumulateAndGet(Math.max(0, now - expected[0]), Math::max);
          expected[0] = now + TimeUnit.MILLISECONDS.toNanos(PERIOD_MS);
        });
  }
}
