package dev.plumbline.budget;

import java.util.concurrent.TimeUnit;

/** Counts CPU time that no work has used. */
public final class TestCpuAllowances {
    private TestCpuAllowances() {}

    /** Takes CPU time from an allowance. */
    public static void use(CpuAllowance allowance, long millis) {
        allowance.use(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
