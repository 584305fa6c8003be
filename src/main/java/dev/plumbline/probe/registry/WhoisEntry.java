package dev.plumbline.probe.registry;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A line of a WHOIS response with a key.
 *
 * @param key normalized, see {@link WhoisField#normalize}
 * @param value empty if the line has only a key
 */
record WhoisEntry(String key, String value) {
    private static final int MAX_COLON = 90;

    /** A key in brackets, for example {@code a. [Domain Name]}. */
    private static final Pattern BRACKETED = Pattern.compile("[^\\[\\]]{0,3}\\[([^\\]]{0,59})]");

    /** A key and a value that are separated by a tab, several spaces or dot leaders. */
    private static final Pattern COLUMNS =
            Pattern.compile("(\\S(?:[^\\t.#]{0,58}?))(?:\\t+| {2,}|#?(?:\\. ?){5,})(\\S.*)");

    private static final Pattern ADDRESSES = Pattern.compile("[0-9A-Fa-f:., ]*:[0-9A-Fa-f:., ]*");

    /**
     * Parses {@code key: value}, {@code [key] value}, or a known key and a value in two columns. Null if the line has
     * none of these forms.
     */
    static @Nullable WhoisEntry parse(String line) {
        Matcher bracketed = BRACKETED.matcher(line);
        if (bracketed.lookingAt()) {
            return new WhoisEntry(
                    WhoisField.normalize(bracketed.group(1)),
                    line.substring(bracketed.end()).strip());
        }
        int colon = line.indexOf(':');
        if (colon > 0 && colon <= MAX_COLON && !ADDRESSES.matcher(line).matches()) {
            boolean value = colon + 1 == line.length() || !Character.isLetterOrDigit(line.charAt(colon + 1));
            boolean compact = colon < 30 && line.charAt(colon - 1) != '/' && !line.startsWith("http");
            String name = line.substring(0, colon).strip();
            String key = WhoisField.normalize(name);
            // A hostname before an IPv6 address is not a key.
            if ((value || compact) && !key.isEmpty() && RegistryValueParser.nameserver(name) == null) {
                return new WhoisEntry(key, line.substring(colon + 1).strip());
            }
        }
        Matcher columns = COLUMNS.matcher(line);
        String key = columns.matches() ? WhoisField.normalize(columns.group(1)) : "";
        return WhoisField.of(key) == null
                ? null
                : new WhoisEntry(key, columns.group(2).strip());
    }
}
