package dev.plumbline.result;

import dev.plumbline.target.LowerCaseId;
import java.util.Locale;

/** The effect of a problem if it is not fixed, the most urgent first. */
public enum Consequence implements LowerCaseId {
    /** The website or mail does not work: the area has the score 0. */
    UNAVAILABLE("Does not work"),
    /** Data can be read or changed, or mail can be forged. */
    EXPOSED("Security risk"),
    /** The website, mail or domain will stop working, for example when a certificate or registration expires. */
    EXPIRING("Stops working soon"),
    /** Some users, mail servers or search engines are affected. */
    DEGRADED("Affects users"),
    /** A recommendation. */
    RECOMMENDED("Recommended");

    private final String title;

    Consequence(String title) {
        this.title = title;
    }

    /**
     * Returns the consequence with this name.
     *
     * @throws IllegalArgumentException if the consequence does not exist
     */
    public static Consequence of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT));
    }

    /** The label on pages and in terminal reports. */
    public String title() {
        return title;
    }
}
