package dev.plumbline.model;

import java.util.Locale;

/** Where a job stands. The database refuses every other step than those of the interface. */
public enum JobState {
    QUEUED,
    RUNNING,
    COMPLETED,
    CANCELLING,
    CANCELLED,
    FAILED;

    /** The name used in answers, for example {@code queued}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether nothing about the job will change any more. */
    public boolean isFinal() {
        return this == COMPLETED || this == CANCELLED || this == FAILED;
    }

    /**
     * @throws IllegalArgumentException when no state has this name
     */
    public static JobState of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT));
    }
}
