package dev.plumbline.check;

/** A check whose time is shorter for a while. */
record ContextWithin(CheckContext whole, Deadline deadline) implements ContextPart {
  @Override
  public long patienceMs() {
    return Math.min(whole.patienceMs(), deadline.remainingMillis());
  }
}
