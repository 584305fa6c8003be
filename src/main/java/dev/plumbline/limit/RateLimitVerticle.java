package dev.plumbline.limit;

import dev.plumbline.bus.Addresses;
import dev.plumbline.bus.Bus;
import dev.plumbline.bus.Message;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;

/** Serves {@link Addresses#LIMIT_TAKE} and {@link Addresses#LIMIT_REFUND}. One for each node. */
public final class RateLimitVerticle extends VerticleBase {
  private final Bus bus;
  private final SlidingWindows windows;

  public RateLimitVerticle(Bus bus, SlidingWindows windows) {
    this.bus = bus;
    this.windows = windows;
  }

  @Override
  public Future<?> start() {
    return Future.all(
        bus.serve(Addresses.LIMIT_TAKE, Message.TakeQuota.class, windows::take).completion(),
        bus.serve(Addresses.LIMIT_REFUND, Message.RefundQuota.class, windows::refund).completion());
  }
}
