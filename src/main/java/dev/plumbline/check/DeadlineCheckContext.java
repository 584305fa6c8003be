package dev.plumbline.check;

/** A check whose time is shorter for a while. */
record DeadlineCheckContext(CheckContext whole, Deadline deadline) implements DelegatingCheckContext {
    @Override
    public long patienceMs() {
        return Math.min(whole.patienceMs(), deadline.remainingMillis());
    }
}
