package dev.plumbline.result;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Formats durations, relative times and expiry times for pages and terminals. */
public final class QuantityText {
    private static final int DAYS_PER_YEAR = 365;
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("d MMM yyyy", Locale.ENGLISH);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("d MMM yyyy, HH:mm 'UTC'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private QuantityText() {}

    /** A date, for example {@code 5 Dec 2026}. */
    public static String date(LocalDate date) {
        return DATE.format(date);
    }

    /** A time in UTC, for example {@code 5 Dec 2026, 22:09 UTC}. */
    public static String time(Instant time) {
        return TIME.format(time);
    }

    /** A duration with its unit: {@code 3.2 ms}, {@code 84 ms}, {@code 1.25 s}. */
    public static String milliseconds(double ms) {
        if (ms >= 1000) {
            return String.format(Locale.ROOT, "%.2f s", ms / 1000);
        }
        double rounded = ms < 10 ? Math.round(ms * 10) / 10.0 : Math.round(ms);
        return (rounded == Math.rint(rounded) ? Long.toString((long) rounded) : Double.toString(rounded)) + " ms";
    }

    /**
     * When something expires: {@code expires in 12 days}, {@code expired 11 days ago}.
     *
     * @param daysRemaining whole days, rounded down; negative after the expiry
     */
    public static String expiry(long daysRemaining) {
        return daysRemaining >= 0 ? "expires " + relativeDays(daysRemaining) : "expired " + relativeDays(daysRemaining);
    }

    /**
     * A number of days: {@code 12 days}, {@code less than a day}.
     *
     * @param days rounded down, at least 0
     */
    public static String days(long days) {
        return days == 0 ? "less than a day" : days == 1 ? "1 day" : days + " days";
    }

    /**
     * A time relative to another, in whole days, or in years if at least two: {@code in 12 days}, {@code 31 years ago}.
     */
    public static String relativeTime(Instant reference, Instant time) {
        return relativeDays(Math.floorDiv(Duration.between(reference, time).toSeconds(), 86_400));
    }

    /**
     * A time relative to the check, in whole days, or in years if at least two: {@code in 12 days}, {@code 11 days
     * ago}.
     *
     * @param days rounded down: 11.5 days ago is -12
     */
    public static String relativeDays(long days) {
        long whole = days >= 0 ? days : -days - 1;
        String count = whole >= 2 * DAYS_PER_YEAR ? whole / DAYS_PER_YEAR + " years" : days(whole);
        return days >= 0 ? "in " + count : count + " ago";
    }
}
