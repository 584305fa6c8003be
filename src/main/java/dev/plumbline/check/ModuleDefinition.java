package dev.plumbline.check;

import io.vertx.core.Future;

/**
 * One tool. An implementation is one class with a public constructor without arguments, found by
 * {@link java.util.ServiceLoader}, with its description and judgement beside it where they are too
 * long to stand in it; it holds no state.
 *
 * @param <E> the evidence: an immutable record of everything that was seen
 */
public interface ModuleDefinition<E> {

  /** What the module is; the same object at every call. */
  Description description();

  /**
   * The most outbound requests that one check with these options makes. Only where one asks for
   * what cannot be learnt from fewer may there be more than {@link RequestBudget#MOST}.
   */
  default int requests(Options options) {
    return RequestBudget.MOST;
  }

  /**
   * Does all the network work, through the probes that the context gives.
   *
   * @return the evidence; or a {@link CheckFailure} when the exchange did not complete and nothing
   *     is worth telling beyond that; or a {@link BusyFailure} when the service has no room
   */
  Future<E> collect(Target target, CheckContext context);

  /** Judges the evidence: a pure function that neither waits nor looks at a clock. */
  Judgement judge(E evidence, Options options);
}
