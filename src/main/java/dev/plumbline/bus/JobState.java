package dev.plumbline.bus;

import java.util.Locale;

/** State of a job. The database checks the transitions. */
public enum JobState {
    QUEUED,
    RUNNING,
    COMPLETED,
    CANCELLING,
    CANCELLED,
    FAILED;

    /** The name in the API, for example {@code queued}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the job does not change any more. */
    public boolean isFinal() {
        return this == COMPLETED || this == CANCELLED || this == FAILED;
    }

    /** @throws IllegalArgumentException if the state does not exist */
    public static JobState of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT));
    }
}
