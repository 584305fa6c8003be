package dev.plumbline.http.api;

import io.vertx.core.MultiMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a client would like, of the Prefer header (RFC 7240). What is not understood is passed over,
 * as the RFC wants it.
 *
 * @param waitSeconds how long the answer may be held; 0 for not at all
 * @param minimal whether as little as possible is wanted back
 */
public record PreferHeader(int waitSeconds, boolean minimal) {
    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
    private static final String WORD = "(" + TOKEN + "|\"(?:[^\"\\\\]|\\\\.)*+\")";
    private static final Pattern PREFERENCE = Pattern.compile("[\\s,]*("
            + TOKEN
            + ")(?:\\s*=\\s*"
            + WORD
            + "?)?(?:\\s*;(?:\\s*"
            + TOKEN
            + "(?:\\s*=\\s*"
            + WORD
            + "?)?)?)*+\\s*(?=,|$)");
    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");

    public static PreferHeader of(MultiMap headers) {
        Map<String, String> given = new TreeMap<>();
        for (String header : headers.getAll("Prefer")) {
            Matcher matcher = PREFERENCE.matcher(header);
            while (matcher.lookingAt()) {
                // of a preference that is given twice, the first counts
                given.putIfAbsent(matcher.group(1).toLowerCase(Locale.ROOT), unquoted(matcher.group(2)));
                matcher.region(matcher.end(), header.length());
            }
        }
        String wait = given.getOrDefault("wait", "");
        return new PreferHeader(
                SECONDS.matcher(wait).matches() ? Integer.parseInt(wait) : 0,
                given.getOrDefault("return", "").equalsIgnoreCase("minimal"));
    }

    private static String unquoted(@org.jspecify.annotations.Nullable String word) {
        if (word == null) {
            return "";
        }
        return word.startsWith("\"") ? word.substring(1, word.length() - 1) : word;
    }
}
