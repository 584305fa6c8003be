package dev.plumbline.module.web.cookies;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses the date of an Expires attribute as browsers do (RFC 6265 section 5.1.1). */
final class CookieDate {
    private static final Pattern DELIMITERS = Pattern.compile("[\\t\\x20-\\x2f\\x3b-\\x40\\x5b-\\x60\\x7b-\\x7e]+");
    private static final String REST = "(?:[^0-9].*)?";
    private static final Pattern TIME =
            Pattern.compile("([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})" + REST, Pattern.DOTALL);
    private static final Pattern DAY = Pattern.compile("([0-9]{1,2})" + REST, Pattern.DOTALL);
    private static final Pattern YEAR = Pattern.compile("([0-9]{2,4})" + REST, Pattern.DOTALL);
    private static final List<String> MONTHS =
            List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
    private static final int MIN_YEAR = 1601;

    private int @Nullable [] time;
    private int day = -1;
    private int month = -1;
    private int year = -1;

    private CookieDate() {}

    /** Returns null if the text is not a date. */
    static @Nullable Instant parse(String text) {
        CookieDate date = new CookieDate();
        for (String token : DELIMITERS.split(text)) {
            date.read(token);
        }
        return date.instant();
    }

    private void read(String token) {
        Matcher matcher = TIME.matcher(token);
        if (time == null && matcher.matches()) {
            time = new int[] {number(matcher, 1), number(matcher, 2), number(matcher, 3)};
            return;
        }
        matcher = DAY.matcher(token);
        if (day < 0 && matcher.matches()) {
            day = number(matcher, 1);
            return;
        }
        int named =
                token.length() < 3 ? -1 : MONTHS.indexOf(token.substring(0, 3).toLowerCase(Locale.ROOT));
        if (month < 0 && named >= 0) {
            month = named + 1;
            return;
        }
        matcher = YEAR.matcher(token);
        if (year < 0 && matcher.matches()) {
            int number = number(matcher, 1);
            year = number < 70 ? number + 2000 : number < 100 ? number + 1900 : number;
        }
    }

    private @Nullable Instant instant() {
        if (time == null || day < 0 || month < 0 || year < MIN_YEAR) {
            return null;
        }
        try {
            return LocalDateTime.of(year, month, day, time[0], time[1], time[2]).toInstant(ZoneOffset.UTC);
        } catch (DateTimeException outOfRange) {
            return null;
        }
    }

    private static int number(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group));
    }
}
