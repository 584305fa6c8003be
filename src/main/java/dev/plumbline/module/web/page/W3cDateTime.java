package dev.plumbline.module.web.page;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses dates in the W3C profile of ISO 8601 (https://www.w3.org/TR/NOTE-datetime). */
public final class W3cDateTime {
    private static final Pattern FORMAT =
            Pattern.compile("[0-9]{4}(-[0-9]{2}(-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,9})?)?"
                    + "(Z|[+-][0-9]{2}:[0-9]{2}))?)?)?");

    private W3cDateTime() {}

    /** The start of the year, month or day, or the time, in UTC; null if it is not in this format. */
    public static @Nullable Instant parse(String text) {
        Matcher matcher = FORMAT.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        try {
            if (matcher.group(3) != null) {
                return OffsetDateTime.parse(text).toInstant();
            }
            LocalDate day = matcher.group(2) != null
                    ? LocalDate.parse(text)
                    : matcher.group(1) != null
                            ? YearMonth.parse(text).atDay(1)
                            : Year.parse(text).atDay(1);
            return day.atStartOfDay().toInstant(ZoneOffset.UTC);
        } catch (DateTimeException invalid) {
            return null;
        }
    }
}
