package dev.plumbline.check;

/** A check that waits for its turn until its deadline. */
record ContextPatient(CheckContext whole) implements ContextPart {
  @Override
  public long patienceMs() {
    return whole.deadline().remainingMillis();
  }
}
