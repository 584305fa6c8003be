package dev.plumbline.account;

import dev.plumbline.target.LowerCaseId;
import java.util.Locale;

/** The plan of an account. */
public enum Plan implements LowerCaseId {
    FREE,
    /** Permits jobs and API keys. */
    PRO;

    /**
     * The plan with this name.
     *
     * @throws IllegalArgumentException if the plan does not exist
     */
    public static Plan of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT));
    }
}
