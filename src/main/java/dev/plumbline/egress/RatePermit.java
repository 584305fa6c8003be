package dev.plumbline.egress;

import dev.plumbline.result.TargetLimit;
import org.jspecify.annotations.Nullable;

/**
 * A permit of a {@link RateLimiter}.
 *
 * @param onRelease releases the permit; to be run once
 * @param limitedBy the type of the limit that delayed it; null if it was available at once
 */
public record RatePermit(Runnable onRelease, TargetLimit.@Nullable Type limitedBy) {
    /** Releases the permit; to be called once. */
    public void release() {
        onRelease.run();
    }
}
