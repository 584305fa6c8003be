package dev.plumbline.check;

import java.time.Duration;

/**
 * How the guard or the runner says that there is no room just now. The check has not been judged;
 * the caller may come again.
 */
public final class OverloadFailure extends Exception {
    private final transient Duration retryAfter;

    /**
     * @param retryAfter when to come again, at least one second
     */
    public OverloadFailure(String message, Duration retryAfter) {
        super(message, null, false, false);
        this.retryAfter = retryAfter;
    }

    public Duration retryAfter() {
        return retryAfter;
    }
}
