package dev.plumbline.module.web;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a Strict-Transport-Security header says (RFC 6797 section 6.1). Pure.
 *
 * @param maxAge seconds; null where the header is not valid
 * @param fault what is wrong with it, for people; null when nothing is
 */
record HstsPolicy(@Nullable Long maxAge, boolean includeSubDomains, boolean preload, @Nullable String fault) {

    /** What has more digits counts as for ever. */
    private static final int MOST_DIGITS = 18;

    static HstsPolicy parse(String header) {
        Set<String> seen = new HashSet<>();
        Long maxAge = null;
        for (String directive : HeaderParser.split(header, ';')) {
            int equals = directive.indexOf('=');
            String name = (equals < 0 ? directive : directive.substring(0, equals))
                    .strip()
                    .toLowerCase(Locale.ROOT);
            if (directive.isEmpty()) {
                continue;
            }
            if (!HeaderParser.isToken(name)) {
                return invalid("it has a directive whose name is none");
            }
            if (!seen.add(name)) {
                return invalid("it has the directive " + name + " twice");
            }
            String value = equals < 0
                    ? null
                    : HeaderParser.unquoted(directive.substring(equals + 1).strip());
            switch (name) {
                case "max-age" -> {
                    maxAge = seconds(value);
                    if (maxAge == null) {
                        return invalid("its max-age is no number of seconds");
                    }
                }
                case "includesubdomains", "preload" -> {
                    if (value != null) {
                        return invalid("its " + name + " has a value");
                    }
                }
                default -> {
                    // directives of the future are passed over
                }
            }
        }
        return maxAge == null
                ? invalid("it has no max-age")
                : new HstsPolicy(maxAge, seen.contains("includesubdomains"), seen.contains("preload"), null);
    }

    private static HstsPolicy invalid(String fault) {
        return new HstsPolicy(null, false, false, fault);
    }

    private static @Nullable Long seconds(@Nullable String value) {
        if (value == null || value.isEmpty() || !value.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return null;
        }
        return value.length() > MOST_DIGITS ? Long.valueOf(Long.MAX_VALUE) : Long.valueOf(value);
    }
}
