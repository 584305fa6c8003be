package dev.plumbline.run;

import dev.plumbline.bus.Addresses;
import dev.plumbline.bus.Bus;
import dev.plumbline.bus.Message;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.function.Supplier;

/**
 * Serves {@link Addresses#CHECK_RUN} and {@link Addresses#CHECK_PING}. Deployed as a pool, one for
 * each event loop.
 */
public final class CheckRunnerVerticle extends VerticleBase {
  private final Bus bus;
  private final Supplier<CheckRunner> runner;

  /**
   * @param runner makes the runner of this instance, on its event loop
   */
  public CheckRunnerVerticle(Bus bus, Supplier<CheckRunner> runner) {
    this.bus = bus;
    this.runner = runner;
  }

  @Override
  public Future<?> start() {
    CheckRunner mine = runner.get();
    return Future.all(
        bus.serve(Addresses.CHECK_RUN, Message.RunCheck.class, mine::run).completion(),
        bus.serve(
                Addresses.CHECK_PING,
                Message.Ping.class,
                ping -> Future.succeededFuture(new Message.Done()))
            .completion());
  }
}
