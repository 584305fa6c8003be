package dev.plumbline.check;

/** A context that waits for rate limits until its deadline. */
record PatientCheckContext(CheckContext whole) implements DelegatingCheckContext {
    @Override
    public long patienceMs() {
        return whole.deadline().remainingMillis();
    }
}
