package dev.plumbline.check;

/** A check that waits for its turn until its deadline. */
record PatientCheckContext(CheckContext whole) implements DelegatingCheckContext {
    @Override
    public long patienceMs() {
        return whole.deadline().remainingMillis();
    }
}
