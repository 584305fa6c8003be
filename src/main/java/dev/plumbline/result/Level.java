package dev.plumbline.result;

import dev.plumbline.target.LowerCaseId;
import java.util.Comparator;
import java.util.Locale;

/** The severity of a finding, in ascending order. */
public enum Level implements LowerCaseId {
    INFO,
    WARN,
    FAIL;

    /** Sorts the most severe level first. */
    public static final Comparator<Level> MOST_SEVERE_FIRST = Comparator.reverseOrder();

    /**
     * Returns the level with this name.
     *
     * @throws IllegalArgumentException if the level does not exist
     */
    public static Level of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT));
    }
}
