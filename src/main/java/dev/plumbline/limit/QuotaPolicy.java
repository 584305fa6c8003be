package dev.plumbline.limit;

import java.time.Duration;

/**
 * The rate limit of each key.
 *
 * @param limit the maximum cost in any window, at most 10,000; 0 for no limit
 * @param window the length of the sliding window
 */
public record QuotaPolicy(int limit, Duration window) {
    public QuotaPolicy {
        if (limit < 0 || limit > 10_000) {
            throw new IllegalArgumentException("limit must be from 0 to 10000: " + limit);
        }
        if (window.isNegative() || window.isZero()) {
            throw new IllegalArgumentException("window must be positive");
        }
    }

    long windowMicros() {
        return window.toNanos() / 1_000;
    }
}
