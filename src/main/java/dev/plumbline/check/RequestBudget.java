package dev.plumbline.check;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts the outbound requests of one check, so that none can be made to send a flood. */
public final class RequestBudget {
  /** The most outbound requests that one check makes, unless its module says otherwise. */
  public static final int MOST = 25;

  private final int most;
  private final AtomicInteger left;

  public RequestBudget() {
    this(MOST);
  }

  /**
   * @param most see {@link CheckModule#requests}
   */
  public RequestBudget(int most) {
    this.most = most;
    this.left = new AtomicInteger(most);
  }

  /** Whether any request was made. */
  public boolean used() {
    return left.get() < most;
  }

  /** Takes one request; false when none is left. */
  public boolean take() {
    return left.getAndUpdate(n -> n > 0 ? n - 1 : 0) > 0;
  }
}
