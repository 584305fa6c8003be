package dev.plumbline.module.web;

import dev.plumbline.probe.http.HeaderParser;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A parsed Strict-Transport-Security header (RFC 6797 section 6.1).
 *
 * @param maxAge seconds; null if the header is invalid
 * @param fault why the header is invalid, as a clause of a sentence; null if it is valid
 */
record HstsPolicy(@Nullable Long maxAge, boolean includeSubdomains, boolean preload, @Nullable String fault) {

    /** A number with more digits is read as {@link Long#MAX_VALUE}. */
    private static final int MAX_DIGITS = 18;

    static HstsPolicy parse(String header) {
        Map<String, @Nullable String> directives = new HashMap<>();
        for (String directive : HeaderParser.split(header, ';')) {
            if (directive.isEmpty()) {
                continue;
            }
            String[] parts = directive.split("=", 2);
            String name = parts[0].strip().toLowerCase(Locale.ROOT);
            String value = parts.length == 1 ? null : HeaderParser.unquoted(parts[1].strip());
            if (!HeaderParser.isToken(name)) {
                return invalid("a directive name is not a token");
            }
            if (directives.containsKey(name)) {
                return invalid("the directive " + name + " is repeated");
            }
            if (value != null && Set.of("includesubdomains", "preload").contains(name)) {
                return invalid("the directive " + name + " has a value");
            }
            if (value != null && !name.equals("max-age") && !isValue(parts[1].strip())) {
                return invalid("the value of " + name + " is not a token or quoted string");
            }
            directives.put(name, value);
        }
        String maxAge = directives.get("max-age");
        if (maxAge == null || !maxAge.matches("[0-9]+")) {
            return invalid(
                    directives.containsKey("max-age") ? "max-age is not a number of seconds" : "max-age is missing");
        }
        return new HstsPolicy(
                maxAge.length() > MAX_DIGITS ? Long.MAX_VALUE : Long.parseLong(maxAge),
                directives.containsKey("includesubdomains"),
                directives.containsKey("preload"),
                null);
    }

    /** A token or a quoted string. */
    private static boolean isValue(String text) {
        return HeaderParser.isToken(text) || text.length() > 1 && text.startsWith("\"") && text.endsWith("\"");
    }

    private static HstsPolicy invalid(String fault) {
        return new HstsPolicy(null, false, false, fault);
    }
}
