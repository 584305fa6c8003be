package dev.plumbline.check;

import java.time.Duration;

/** The check was not run because a concurrency or rate limit was reached. The caller can retry. */
public final class OverloadFailure extends Exception {
    private final transient Duration retryAfter;

    /** @param retryAfter the delay before a retry, at least one second */
    public OverloadFailure(String message, Duration retryAfter) {
        super(message, null, false, false);
        this.retryAfter = retryAfter;
    }

    public Duration retryAfter() {
        return retryAfter;
    }
}
