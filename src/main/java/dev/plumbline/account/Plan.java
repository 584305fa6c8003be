package dev.plumbline.account;

import java.util.Locale;

/** The plan of an account. */
public enum Plan {
    FREE,
    /** Includes jobs. */
    PRO;

    /** The identifier: {@code free} or {@code pro}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the plan with this identifier.
     *
     * @throws IllegalArgumentException if there is no such plan
     */
    public static Plan of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT));
    }
}
