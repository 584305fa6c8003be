package dev.plumbline.job.coordinate;

import java.time.Duration;

/**
 * How a coordinator behaves.
 *
 * @param permits lines that are checked at once on this node
 * @param perHost lines of one host that are checked at once; 0 for no limit
 * @param lease how long a coordinator that says nothing is believed to live
 * @param renewal how often it says that it lives, well below the lease
 * @param poll how often it looks for work that nobody told it of
 */
public record CoordinatorSettings(int permits, int perHost, Duration lease, Duration renewal, Duration poll) {
    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final Duration RENEWAL = Duration.ofSeconds(5);
    private static final Duration POLL = Duration.ofMillis(500);

    /**
     * The manners of a node.
     *
     * @param concurrent checks that run at once on it, of which instant checks keep a quarter
     * @param perHost as in {@link CoordinatorSettings}
     */
    public static CoordinatorSettings of(int concurrent, int perHost) {
        return new CoordinatorSettings(Math.max(1, concurrent - concurrent / 4), perHost, LEASE, RENEWAL, POLL);
    }
}
