package dev.plumbline.quota;

import java.time.Duration;

/**
 * The limit of a quota.
 *
 * @param limit maximum number of charges per key in the window, at most 10,000; 0 for no limit
 * @param window length of the sliding window, positive
 */
public record QuotaPolicy(int limit, Duration window) {
    public QuotaPolicy {
        if (limit < 0 || limit > 10_000) {
            throw new IllegalArgumentException("limit must be between 0 and 10000: " + limit);
        }
        if (window.isNegative() || window.isZero()) {
            throw new IllegalArgumentException("window must be positive");
        }
    }

    long windowMicros() {
        return window.toNanos() / 1_000;
    }
}
