package dev.plumbline.http.api;

import io.vertx.core.MultiMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The preferences of the Prefer header (RFC 7240). Unknown preferences are ignored.
 *
 * @param waitSeconds how long the response can be held, in seconds; 0 if not requested
 * @param minimal whether {@code return=minimal} is requested
 */
public record PreferHeader(int waitSeconds, boolean minimal) {
    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
    private static final String WORD = "(" + TOKEN + "|\"(?:[^\"\\\\]|\\\\.)*+\")";
    private static final Pattern PREFERENCE =
            Pattern.compile("[\\s,]*(%1$s)(?:\\s*=\\s*%2$s?)?(?:\\s*;(?:\\s*%1$s(?:\\s*=\\s*%2$s?)?)?)*+\\s*(?=,|$)"
                    .formatted(TOKEN, WORD));
    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");

    public static PreferHeader of(MultiMap headers) {
        Map<String, String> preferences = new TreeMap<>();
        for (String header : headers.getAll("Prefer")) {
            Matcher matcher = PREFERENCE.matcher(header);
            while (matcher.lookingAt()) {
                // the first of repeated preferences applies
                preferences.putIfAbsent(matcher.group(1).toLowerCase(Locale.ROOT), unquoted(matcher.group(2)));
                matcher.region(matcher.end(), header.length());
            }
        }
        String wait = preferences.getOrDefault("wait", "");
        return new PreferHeader(
                SECONDS.matcher(wait).matches() ? Integer.parseInt(wait) : 0,
                preferences.getOrDefault("return", "").equalsIgnoreCase("minimal"));
    }

    private static String unquoted(@Nullable String word) {
        if (word == null) {
            return "";
        }
        return word.startsWith("\"") ? word.substring(1, word.length() - 1) : word;
    }
}
