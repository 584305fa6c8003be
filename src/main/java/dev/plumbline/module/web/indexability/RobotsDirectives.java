package dev.plumbline.module.web.indexability;

import dev.plumbline.module.web.page.W3cDateTime;
import dev.plumbline.probe.http.HeaderParser;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The directives of robots meta elements or X-Robots-Tag headers that apply to a crawler. If directives conflict, the
 * most restrictive applies.
 *
 * @param rules in lower case, without those that have a value
 * @param unavailableAfter the earliest date of {@code unavailable_after}; null if it is not set
 * @param invalidDates values of {@code unavailable_after} that are not dates
 * @param unknown directives that are not defined
 */
record RobotsDirectives(
        Set<String> rules, @Nullable Instant unavailableAfter, List<String> invalidDates, List<String> unknown) {
    private static final String UNAVAILABLE_AFTER = "unavailable_after";
    private static final Set<String> WITH_VALUE =
            Set.of(UNAVAILABLE_AFTER, "max-snippet", "max-image-preview", "max-video-preview");
    private static final Set<String> DEFINED = Set.of(("all index follow noindex nofollow none noarchive nocache"
                    + " nosnippet notranslate noimageindex indexifembedded nositelinkssearchbox noodp noydir noai"
                    + " noimageai nopagereadaloud noyaca unfollow")
            .split(" "));
    private static final int MAX_UNKNOWN = 20;
    private static final int MAX_PARTS = 1_000;

    /** The maximum number of dates; each can take microseconds. */
    private static final int MAX_DATES = 20;

    /** A part of a date that contains a comma, for example {@code Fri, 25 Jun 2027 15:00:00 GMT}. */
    private static final Pattern AFTER_WEEKDAY = Pattern.compile("[0-9]{1,2}[ -].{1,40}");

    /** The formats that Google lists: RFC 822, RFC 850 and ISO 8601. */
    private static final List<DateTimeFormatter> DATES = Stream.of(
                    "EEE, d MMM yyyy HH:mm:ss z",
                    "d MMM yyyy HH:mm:ss z",
                    "EEEE, dd-MMM-yy HH:mm:ss z",
                    "dd-MMM-yy HH:mm:ss z",
                    "dd-MMM-yyyy HH:mm:ss z")
            .map(pattern -> DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH))
            .toList();

    static RobotsDirectives ofMeta(List<String> contents) {
        return of(contents.stream()
                .flatMap(content -> joinDates(HeaderParser.split(content, ',')).stream())
                .toList());
    }

    /**
     * The directives of X-Robots-Tag headers. A directive after {@code name:} applies only to the crawler with that
     * name.
     *
     * @param names the names of the crawler, in lower case
     */
    static RobotsDirectives ofHeaders(List<String> headers, Set<String> names) {
        List<String> directives = new ArrayList<>();
        for (String header : headers) {
            boolean applies = true;
            for (String part : joinDates(HeaderParser.split(header, ','))) {
                int colon = part.indexOf(':');
                String name = colon < 0 ? "" : part.substring(0, colon).strip().toLowerCase(Locale.ROOT);
                boolean crawler = HeaderParser.isToken(name) && !WITH_VALUE.contains(name);
                if (crawler) {
                    applies = name.equals("*") || names.contains(name);
                }
                if (applies) {
                    directives.add(crawler ? part.substring(colon + 1).strip() : part);
                }
            }
        }
        return of(directives);
    }

    private static List<String> joinDates(List<String> parts) {
        List<String> joined = new ArrayList<>();
        for (String part : parts.subList(0, Math.min(parts.size(), MAX_PARTS))) {
            int last = joined.size() - 1;
            boolean date = last >= 0
                    && joined.get(last).toLowerCase(Locale.ROOT).contains(UNAVAILABLE_AFTER)
                    && AFTER_WEEKDAY.matcher(part).matches();
            if (date) {
                joined.set(last, joined.get(last) + ", " + part);
            } else {
                joined.add(part);
            }
        }
        return joined;
    }

    /** Whether the page must not be in the search results. */
    boolean noindex() {
        return rules.contains("noindex") || rules.contains("none");
    }

    /** Whether directives for and against indexing are both set. */
    boolean conflicting() {
        return noindex() && (rules.contains("index") || rules.contains("all"));
    }

    RobotsDirectives and(RobotsDirectives other) {
        Set<String> all = new LinkedHashSet<>(rules);
        all.addAll(other.rules);
        Instant after = unavailableAfter;
        Instant theirs = other.unavailableAfter;
        boolean earlier = theirs != null && (after == null || theirs.isBefore(after));
        return new RobotsDirectives(
                all,
                earlier ? theirs : after,
                Stream.concat(invalidDates.stream(), other.invalidDates.stream())
                        .toList(),
                Stream.concat(unknown.stream(), other.unknown.stream())
                        .distinct()
                        .toList());
    }

    private static RobotsDirectives of(List<String> directives) {
        Set<String> rules = new LinkedHashSet<>();
        List<String> dates = new ArrayList<>();
        Set<String> unknown = new LinkedHashSet<>();
        for (String directive : directives) {
            String rule = directive.strip().toLowerCase(Locale.ROOT);
            int colon = rule.indexOf(':');
            String name = colon < 0 ? rule : rule.substring(0, colon).strip();
            if (name.equals(UNAVAILABLE_AFTER)) {
                dates.add(
                        colon < 0 ? "" : directive.strip().substring(colon + 1).strip());
            } else if (DEFINED.contains(rule)) {
                rules.add(rule);
            } else if (!rule.isEmpty() && !WITH_VALUE.contains(name) && unknown.size() < MAX_UNKNOWN) {
                unknown.add(directive.strip());
            }
        }
        Instant unavailableAfter = null;
        List<String> invalidDates = new ArrayList<>();
        for (String text : dates.subList(0, Math.min(dates.size(), MAX_DATES))) {
            Instant date = parse(text);
            if (date == null) {
                invalidDates.add(text);
            } else if (unavailableAfter == null || date.isBefore(unavailableAfter)) {
                unavailableAfter = date;
            }
        }
        return new RobotsDirectives(rules, unavailableAfter, invalidDates, List.copyOf(unknown));
    }

    private static @Nullable Instant parse(String text) {
        if (text.length() > 60) {
            return null;
        }
        Instant iso = W3cDateTime.parse(text);
        if (iso != null) {
            return iso;
        }
        for (DateTimeFormatter format : DATES) {
            try {
                return ZonedDateTime.parse(text, format).toInstant();
            } catch (DateTimeException other) {
                // the next format
            }
        }
        return null;
    }
}
