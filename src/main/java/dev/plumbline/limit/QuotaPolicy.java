package dev.plumbline.limit;

import java.time.Duration;

/**
 * How much of something one key may have.
 *
 * @param limit most in any window of that length, at most 10,000; 0 for no limit
 */
public record QuotaPolicy(int limit, Duration window) {
    public QuotaPolicy {
        if (limit < 0 || limit > 10_000) {
            throw new IllegalArgumentException("a limit is 0 to 10000, not " + limit);
        }
        if (window.isNegative() || window.isZero()) {
            throw new IllegalArgumentException("a window is longer than nothing");
        }
    }

    long windowMicros() {
        return window.toNanos() / 1_000;
    }
}
