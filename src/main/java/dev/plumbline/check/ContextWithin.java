package dev.plumbline.check;

import io.vertx.core.Future;
import java.time.Clock;
import java.util.concurrent.Callable;

/** A check whose time is shorter for a while; everything else is shared with the whole. */
record ContextWithin(CheckContext whole, Deadline deadline) implements CheckContext {
  @Override
  public Options options() {
    return whole.options();
  }

  @Override
  public Clock clock() {
    return whole.clock();
  }

  @Override
  public long patienceMs() {
    return Math.min(whole.patienceMs(), deadline.remainingMillis());
  }

  @Override
  public boolean fresh() {
    return whole.fresh();
  }

  @Override
  public <T> Future<T> aside(Callable<T> work) {
    return whole.aside(work);
  }

  @Override
  public RequestBudget budget() {
    return whole.budget();
  }

  @Override
  public <P> P probe(Class<P> type) {
    return whole.probe(type);
  }
}
