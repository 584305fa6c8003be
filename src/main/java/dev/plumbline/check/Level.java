package dev.plumbline.check;

import java.util.Comparator;
import java.util.Locale;

/** The weight of a finding, lightest first. */
public enum Level {
    INFO,
    WARN,
    FAIL;

    /** The order in which people read findings. */
    public static final Comparator<Level> GRAVEST_FIRST = Comparator.reverseOrder();

    /**
     * The level of that name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Level of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT));
    }

    /** The name used in answers, for example {@code warn}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
