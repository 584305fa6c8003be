package dev.plumbline.module.web.caching;

import dev.plumbline.probe.http.HeaderParser;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parsed Cache-Control header of a response (RFC 9111 section 5.2). If a directive occurs more than once, the first
 * one is used (section 4.2.1).
 *
 * @param directives the arguments by name in lower case, in order; an empty text if there is no argument
 * @param repeated the directives that occur again with another argument
 * @param invalid the directives that do not conform to the syntax, as sent
 */
record CacheControl(Map<String, String> directives, List<String> repeated, List<String> invalid) {
    static final CacheControl NONE = new CacheControl(Map.of(), List.of(), List.of());

    /** Larger values are treated as this one (RFC 9111 section 1.2.2). */
    private static final long MAX_SECONDS = Integer.MAX_VALUE;

    private static final Set<String> WITH_SECONDS =
            Set.of("max-age", "s-maxage", "stale-while-revalidate", "stale-if-error");
    private static final Pattern DIGITS = Pattern.compile("\\d+");

    /** @param header the lines of the header, joined with commas */
    static CacheControl parse(String header) {
        Map<String, String> directives = new LinkedHashMap<>();
        Set<String> repeated = new LinkedHashSet<>();
        List<String> invalid = new ArrayList<>();
        for (String part : HeaderParser.split(header, ',')) {
            int equals = part.indexOf('=');
            String name = (equals < 0 ? part : part.substring(0, equals)).toLowerCase(Locale.ROOT);
            String argument = equals < 0 ? "" : HeaderParser.unquoted(part.substring(equals + 1));
            if (part.isEmpty()) {
                continue;
            }
            if (!HeaderParser.isToken(name)) {
                invalid.add(part);
                continue;
            }
            if (WITH_SECONDS.contains(name) && !DIGITS.matcher(argument).matches()) {
                invalid.add(part);
            }
            String first = directives.putIfAbsent(name, argument);
            if (first != null && !first.equals(argument)) {
                repeated.add(name);
            }
        }
        return new CacheControl(Collections.unmodifiableMap(directives), List.copyOf(repeated), List.copyOf(invalid));
    }

    /** Whether the directive is present, with or without an argument. */
    boolean has(String name) {
        return directives.containsKey(name);
    }

    /** Whether the directive applies to the whole response: with field names, it applies to these only. */
    boolean isUnqualified(String name) {
        String argument = directives.get(name);
        return argument != null && argument.isEmpty();
    }

    /** The argument in seconds, 0 if it is invalid (RFC 9111 section 4.2.1); null if the directive is not present. */
    @Nullable
    Long seconds(String name) {
        String argument = directives.get(name);
        if (argument == null) {
            return null;
        }
        if (!DIGITS.matcher(argument).matches()) {
            return 0L;
        }
        String digits = argument.replaceFirst("^0+(?=\\d)", "");
        return digits.length() > 10 ? MAX_SECONDS : Math.min(MAX_SECONDS, Long.parseLong(digits));
    }
}
