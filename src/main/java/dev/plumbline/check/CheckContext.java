package dev.plumbline.check;

import java.time.Clock;

/** What a running check may use. */
public interface CheckContext {

  Options options();

  /** When the check must have ended. */
  Deadline deadline();

  /** The wall clock, for judging what a certificate or a header says of time. */
  Clock clock();

  /**
   * How long the check may wait for its turn at a target before it had better come again, in ms.
   */
  default long patienceMs() {
    return deadline().remainingMillis();
  }

  /** The outbound requests that this check may still make. */
  RequestBudget budget();

  /**
   * A probe by its class.
   *
   * @throws IllegalArgumentException when there is no such probe
   */
  <P> P probe(Class<P> type);

  /**
   * The same check, of which a part must have ended earlier so that time is left for the rest.
   *
   * @param share for example {@code deadline().atMost(500)}
   */
  default CheckContext within(Deadline share) {
    return new ContextWithin(this, share);
  }
}
