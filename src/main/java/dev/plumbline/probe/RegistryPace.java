package dev.plumbline.probe;

import dev.plumbline.check.CheckContext;
import dev.plumbline.config.Config;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.Supplier;

/**
 * Keeps everybody on this node together from asking a registry more than it puts up with: each of
 * its servers has a pace of its own, far below that of other targets. Thread-safe.
 */
final class RegistryPace {
  private final PaceGate<String> gate;

  RegistryPace(Vertx vertx, Config.Pace pace) {
    this.gate = new PaceGate<>(pace, System::nanoTime, Timers.of(vertx));
  }

  /**
   * Asks when the turn has come; fails with a {@link dev.plumbline.check.BusyFailure} when it would
   * come too late.
   *
   * @param server its name
   */
  <T> Future<T> take(CheckContext context, String server, Supplier<Future<T>> question) {
    if (gate.isOpen()) {
      return question.get();
    }
    long patience = Math.min(context.patienceMs(), context.deadline().remainingMillis());
    return OnContext.ofCaller(gate.enter(server, patience))
        .compose(
            entered -> {
              Future<T> asked;
              try {
                asked = question.get();
              } catch (RuntimeException thrown) {
                asked = Future.failedFuture(thrown);
              }
              return asked.onComplete(done -> gate.leave(server));
            });
  }
}
