package dev.plumbline.policy;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the steps of several evaluations together. The steps of an evaluation depend only on the expression and the
 * result, so the same evaluations always exceed the same budget. Thread-safe.
 */
public final class StepBudget {
    private final AtomicLong remaining;

    /** The evaluations together need more steps than the budget has. */
    public static final class ExceededException extends RuntimeException {
        private ExceededException() {
            super("step budget exceeded", null, false, false);
        }
    }

    /** @param steps see {@link ExpressionEvaluator#MAX_STEPS}, the maximum of one evaluation */
    public StepBudget(long steps) {
        remaining = new AtomicLong(steps);
    }

    /** A budget for evaluations that are not limited together. */
    static StepBudget unlimited() {
        return new StepBudget(Long.MAX_VALUE);
    }

    /**
     * Takes the steps of an evaluation.
     *
     * @throws ExceededException if there are not enough
     */
    void take(long steps) {
        if (remaining.addAndGet(-steps) < 0) {
            throw new ExceededException();
        }
    }
}
