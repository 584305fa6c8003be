package dev.plumbline.quota;

import java.time.Duration;

/**
 * The limit of a quota.
 *
 * @param limit maximum number of charges per key in the window, at most 10,000; 0 for no limit
 * @param window length of the sliding window, positive
 */
public record QuotaPolicy(int limit, Duration window) {
    long windowMicros() {
        return window.toNanos() / 1_000;
    }
}
