package dev.plumbline.run;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.Options;
import dev.plumbline.check.RequestBudget;
import java.time.Clock;

/** The context of one check that is under way. */
record RunningCheck(
    Options options,
    Deadline deadline,
    long patienceMs,
    Clock clock,
    RequestBudget budget,
    Probes probes)
    implements CheckContext {

  @Override
  public <P> P probe(Class<P> type) {
    return probes.get(type);
  }
}
