package dev.plumbline.account;

import java.util.Locale;

/** The plan of an account. */
public enum Plan {
    FREE,
    /** Permits jobs and API keys. */
    PRO;

    /** The name in the API: {@code free} or {@code pro}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The plan with this name.
     *
     * @throws IllegalArgumentException if the plan does not exist
     */
    public static Plan of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT));
    }
}
