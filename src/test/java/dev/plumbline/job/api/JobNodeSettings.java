package dev.plumbline.job.api;

import dev.plumbline.job.coordinate.CoordinatorSettings;
import java.time.Duration;

/** The coordinator and lease settings of a {@link JobNode}. */
public record JobNodeSettings(int permits, int perHost, Duration lease, Duration renewal, Duration poll) {
    CoordinatorSettings coordinator() {
        return new CoordinatorSettings(permits, perHost, poll);
    }
}
