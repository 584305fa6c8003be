package dev.plumbline.module.web.header;

import dev.plumbline.probe.http.HeaderParser;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A parsed Strict-Transport-Security header (RFC 6797 section 6.1).
 *
 * @param maxAge seconds; null if the header is invalid
 * @param fault why the header is invalid, as a clause of a sentence; null if it is valid
 * @param deviations errors that do not affect browsers, as clauses; empty if the header is invalid
 */
public record HstsPolicy(
        @Nullable Long maxAge, boolean includeSubdomains, boolean preload, String fault, List<String> deviations) {

    /** The minimum max-age without a finding: 180 days. */
    public static final long MIN_MAX_AGE_SECONDS = 15_552_000;

    /** The minimum of the preload list. */
    public static final long PRELOAD_MAX_AGE_SECONDS = 31_536_000;

    /** The directives that browsers apply. They ignore all others, also repeated ones (RFC 6797 section 6.1). */
    private static final Set<String> APPLIED = Set.of("max-age", "includesubdomains");

    /** A number with more digits is read as {@link Long#MAX_VALUE}. */
    private static final int MAX_DIGITS = 18;

    private static final int MAX_DEVIATIONS = 10;

    public static HstsPolicy parse(String header) {
        Map<String, @Nullable String> directives = new HashMap<>();
        Set<String> deviations = new LinkedHashSet<>();
        boolean preload = false;
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
            boolean repeated = directives.containsKey(name);
            if (repeated && APPLIED.contains(name)) {
                return invalid("the directive " + name + " is repeated");
            }
            if (value != null && name.equals("includesubdomains")) {
                return invalid("the directive " + name + " has a value");
            }
            if (value != null && !name.equals("max-age") && !isValue(parts[1].strip())) {
                return invalid("the value of " + name + " is not a token or quoted string");
            }
            if (repeated) {
                deviations.add("the directive " + name + " is repeated");
            }
            if (name.equals("preload") && value != null) {
                deviations.add("the directive preload has a value");
            }
            preload |= name.equals("preload") && value == null;
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
                preload,
                "",
                deviations.stream().limit(MAX_DEVIATIONS).toList());
    }

    /** A token or a quoted string. */
    private static boolean isValue(String text) {
        return HeaderParser.isToken(text) || text.length() > 1 && text.startsWith("\"") && text.endsWith("\"");
    }

    private static HstsPolicy invalid(String fault) {
        return new HstsPolicy(null, false, false, fault, List.of());
    }
}
