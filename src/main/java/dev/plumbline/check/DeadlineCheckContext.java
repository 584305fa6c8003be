package dev.plumbline.check;

/** A context with an earlier deadline. */
record DeadlineCheckContext(CheckContext whole, Deadline deadline) implements DelegatingCheckContext {
    @Override
    public long patienceMs() {
        return Math.min(whole.patienceMs(), deadline.remainingMillis());
    }
}
