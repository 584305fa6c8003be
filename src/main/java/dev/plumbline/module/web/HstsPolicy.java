package dev.plumbline.module.web;

import dev.plumbline.probe.http.HeaderParser;
import java.util.HashSet;
import java.util.Locale;
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
        Set<String> names = new HashSet<>();
        Long maxAge = null;
        for (String directive : HeaderParser.split(header, ';')) {
            if (directive.isEmpty()) {
                continue;
            }
            int equals = directive.indexOf('=');
            String name = (equals < 0 ? directive : directive.substring(0, equals))
                    .strip()
                    .toLowerCase(Locale.ROOT);
            String value = equals < 0
                    ? null
                    : HeaderParser.unquoted(directive.substring(equals + 1).strip());
            if (!HeaderParser.isToken(name)) {
                return invalid("a directive name is not a token");
            }
            if (!names.add(name)) {
                return invalid("the directive " + name + " is repeated");
            }
            if (name.equals("max-age")) {
                maxAge = seconds(value);
                if (maxAge == null) {
                    return invalid("max-age is not a number of seconds");
                }
            } else if (value != null && Set.of("includesubdomains", "preload").contains(name)) {
                return invalid("the directive " + name + " has a value");
            }
        }
        return maxAge == null
                ? invalid("max-age is missing")
                : new HstsPolicy(maxAge, names.contains("includesubdomains"), names.contains("preload"), null);
    }

    private static HstsPolicy invalid(String fault) {
        return new HstsPolicy(null, false, false, fault);
    }

    private static @Nullable Long seconds(@Nullable String value) {
        if (value == null || value.isEmpty() || !value.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return null;
        }
        return value.length() > MAX_DIGITS ? Long.valueOf(Long.MAX_VALUE) : Long.valueOf(value);
    }
}
