package dev.plumbline.result;

import org.jspecify.annotations.Nullable;

/**
 * The time in which a check waited for limits of targets.
 *
 * @param millis in milliseconds, at most the duration of the check. Concurrent waits count once
 * @param limit the limit of the longest wait; null if the check did not wait
 */
public record LimitWait(long millis, @Nullable TargetLimit limit) {
    /** The check did not wait. */
    public static final LimitWait NONE = new LimitWait();

    /** The default for a message that does not contain this member. */
    public LimitWait() {
        this(0, null);
    }
}
