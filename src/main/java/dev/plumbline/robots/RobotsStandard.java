package dev.plumbline.robots;

import java.util.Locale;
import java.util.regex.MatchResult;

/** How a crawler evaluates a robots.txt. */
public enum RobotsStandard {
    RFC_9309,

    /** The published behavior of Google's crawlers, which deviates from RFC 9309. */
    GOOGLE;

    /** The product token of Google's search crawler. Its variants, such as Googlebot-Image, also obey its groups. */
    static final String GOOGLEBOT = "googlebot";

    public String title() {
        return this == GOOGLE ? "Google" : "RFC 9309";
    }

    /** Whether a crawler treats all paths as disallowed because of the status. Google treats 429 as a server error. */
    public boolean disallowsAll(int status) {
        return status >= 500 || status == 429 && this == GOOGLE;
    }

    /**
     * Returns the standard of a crawler.
     *
     * @param agent a product token, a complete User-Agent, or {@code *}
     */
    public static RobotsStandard of(String agent) {
        return RobotsFile.TOKEN
                        .matcher(agent)
                        .results()
                        .map(MatchResult::group)
                        .map(token -> token.toLowerCase(Locale.ROOT))
                        .anyMatch(token -> token.equals(GOOGLEBOT) || token.startsWith(GOOGLEBOT + "-"))
                ? GOOGLE
                : RFC_9309;
    }
}
