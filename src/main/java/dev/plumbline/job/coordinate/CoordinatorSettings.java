package dev.plumbline.job.coordinate;

import java.time.Duration;

/**
 * Settings of a coordinator.
 *
 * @param permits maximum number of concurrent lines on this node, for the router
 * @param perHost maximum number of concurrent lines per host; 0 for no limit
 * @param poll interval of claims
 */
public record CoordinatorSettings(int permits, int perHost, Duration poll) {
    private static final Duration POLL = Duration.ofMillis(500);

    /**
     * The settings of a node.
     *
     * @param concurrent maximum number of concurrent checks, of which a quarter is reserved for instant checks
     * @param perHost as in {@link CoordinatorSettings}
     */
    public static CoordinatorSettings of(int concurrent, int perHost) {
        return new CoordinatorSettings(Math.max(1, concurrent - concurrent / 4), perHost, POLL);
    }
}
