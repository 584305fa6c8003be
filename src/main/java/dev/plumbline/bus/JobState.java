package dev.plumbline.bus;

import dev.plumbline.target.LowerCaseId;
import java.util.Locale;

/** State of a job. The database checks the transitions. */
public enum JobState implements LowerCaseId {
    QUEUED,
    RUNNING,
    COMPLETED,
    CANCELLING,
    CANCELLED,
    FAILED;

    /** Whether the job does not change any more. */
    public boolean isFinal() {
        return this == COMPLETED || this == CANCELLED || this == FAILED;
    }

    /** @throws IllegalArgumentException if the state does not exist */
    public static JobState of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT));
    }
}
