package dev.plumbline.probe.http;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses dates in headers: the three formats of RFC 9110 section 5.6.7. The day of the week is not verified. */
public final class HttpDate {
    private static final List<String> MONTHS =
            List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");
    private static final String TIME = "(?<time>\\d{2}:\\d{2}:\\d{2})";
    private static final String MONTH = "(?<month>[A-Z][a-z]{2})";
    private static final List<Pattern> FORMATS = List.of(
            // Sun, 06 Nov 1994 08:49:37 GMT
            Pattern.compile("[A-Z][a-z]{2}, (?<day>\\d{1,2}) " + MONTH + " (?<year>\\d{4}) " + TIME + " GMT"),
            // Sunday, 06-Nov-94 08:49:37 GMT
            Pattern.compile("[A-Z][a-z]{5,8}, (?<day>\\d{2})-" + MONTH + "-(?<year>\\d{2}) " + TIME + " GMT"),
            // Sun Nov  6 08:49:37 1994
            Pattern.compile("[A-Z][a-z]{2} " + MONTH + " (?<day>[ \\d]\\d) " + TIME + " (?<year>\\d{4})"));

    private HttpDate() {}

    /**
     * Parses a date.
     *
     * @param now for years with two digits, which are at most 50 years in the future
     * @return null if it is not an HTTP date
     */
    public static @Nullable Instant parse(String value, Instant now) {
        for (Pattern format : FORMATS) {
            Matcher matcher = format.matcher(value.strip());
            if (matcher.matches()) {
                return instant(matcher, now);
            }
        }
        return null;
    }

    private static @Nullable Instant instant(Matcher matcher, Instant now) {
        String digits = matcher.group("year");
        String[] time = matcher.group("time").split(":", -1);
        int latest = now.atZone(ZoneOffset.UTC).getYear() + 50;
        int year = Integer.parseInt(digits);
        if (digits.length() == 2) {
            year += latest - Math.floorMod(latest, 100);
            year -= year > latest ? 100 : 0;
        }
        try {
            return LocalDateTime.of(
                            year,
                            MONTHS.indexOf(matcher.group("month")) + 1,
                            Integer.parseInt(matcher.group("day").strip()),
                            Integer.parseInt(time[0]),
                            Integer.parseInt(time[1]),
                            // a leap second is 60
                            Math.min(Integer.parseInt(time[2]), 59))
                    .toInstant(ZoneOffset.UTC);
        } catch (DateTimeException invalid) {
            return null;
        }
    }
}
