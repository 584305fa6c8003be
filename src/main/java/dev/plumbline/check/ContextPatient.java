package dev.plumbline.check;

import io.vertx.core.Future;
import java.time.Clock;
import java.util.concurrent.Callable;

/** A check that waits for its turn until its deadline; everything else is shared with the whole. */
record ContextPatient(CheckContext whole) implements CheckContext {
  @Override
  public long patienceMs() {
    return whole.deadline().remainingMillis();
  }

  @Override
  public Options options() {
    return whole.options();
  }

  @Override
  public Deadline deadline() {
    return whole.deadline();
  }

  @Override
  public Clock clock() {
    return whole.clock();
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
