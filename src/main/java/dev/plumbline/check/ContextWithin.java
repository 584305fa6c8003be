package dev.plumbline.check;

import java.time.Clock;

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
  public RequestBudget budget() {
    return whole.budget();
  }

  @Override
  public <P> P probe(Class<P> type) {
    return whole.probe(type);
  }
}
