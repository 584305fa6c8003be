package dev.plumbline.account;

import java.util.Locale;

/** What an account has paid for. */
public enum Plan {
    FREE,
    /** Jobs, and keys to create them with. */
    PRO;

    /** How it is written: {@code free} or {@code pro}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The plan that is written so.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Plan of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT));
    }
}
