package dev.plumbline.http.web.layout;

import dev.plumbline.result.QuantityText;
import dev.plumbline.result.QuantityUnit;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/** Formats numbers with their units, and times. */
public final class DisplayFormat {
    private static final List<String> BYTE_UNITS = List.of("kB", "MB", "GB", "TB");

    private DisplayFormat() {}

    /**
     * @param name the name of the field
     * @param description the description of the field; can be empty
     */
    public static DisplayValue.Quantity number(String name, String description, Number value) {
        String plain = plain(value);
        String unit = QuantityUnit.of(name, description);
        if (unit == null) {
            return new DisplayValue.Quantity(name.endsWith("_count") ? grouped(value) : plain, null);
        }
        String exact = plain + ' ' + unit;
        String shown =
                switch (unit) {
                    case "ms" -> QuantityText.milliseconds(value.doubleValue());
                    case "s" -> whole(value) ? seconds(value.longValue()) : exact;
                    case "bytes" -> bytes(value.longValue());
                    case "days" -> days(value);
                    case "%" -> plain + " %";
                    default -> exact;
                };
        return new DisplayValue.Quantity(shown, shown.equals(exact) ? null : exact);
    }

    /** @throws java.time.format.DateTimeParseException if the text is not a time in UTC */
    public static DisplayValue.Timestamp timestamp(String iso) {
        return new DisplayValue.Timestamp(iso, QuantityText.time(Instant.parse(iso)), null);
    }

    /**
     * A time with its distance to another time. Reports show the distance to the time of the check, so that it agrees
     * with the findings of a stored result.
     *
     * @throws java.time.format.DateTimeParseException if the text is not a time in UTC
     */
    public static DisplayValue.Timestamp timestamp(String iso, Instant reference) {
        Instant time = Instant.parse(iso);
        return new DisplayValue.Timestamp(iso, QuantityText.time(time), QuantityText.relativeTime(reference, time));
    }

    /** The first whole minute at or after a time, in the text also. */
    public static DisplayValue.Timestamp wholeMinute(Instant time) {
        Instant minute = time.truncatedTo(ChronoUnit.MINUTES);
        return timestamp((minute.equals(time) ? minute : minute.plusSeconds(60)).toString());
    }

    /** An age or a remaining time: {@code less than a minute}, {@code 5 minutes}, {@code 3 hours}, {@code 2 days}. */
    public static String rounded(Duration duration) {
        long minutes = duration.toMinutes();
        if (minutes < 1) {
            return "less than a minute";
        }
        return minutes < 120
                ? count(minutes, "minute")
                : minutes < 48 * 60 ? count(minutes / 60, "hour") : count(minutes / 1440, "day");
    }

    /** A configured time in its largest whole unit: {@code 90 seconds}, {@code 10 minutes}, {@code 1 day}. */
    public static String setting(Duration duration) {
        long seconds = duration.toSeconds();
        if (seconds % 86_400 == 0) {
            return count(seconds / 86_400, "day");
        }
        if (seconds % 3600 == 0) {
            return count(seconds / 3600, "hour");
        }
        return seconds % 60 == 0 ? count(seconds / 60, "minute") : count(seconds, "second");
    }

    private static String count(long number, String unit) {
        return number + " " + unit + (number == 1 ? "" : "s");
    }

    private static String seconds(long seconds) {
        long abs = Math.abs(seconds);
        if (abs >= 86_400 && abs % 86_400 == 0) {
            return seconds / 86_400 + (abs == 86_400 ? " day" : " days");
        }
        if (abs >= 3600 && abs % 3600 == 0) {
            return seconds / 3600 + " h";
        }
        return abs >= 60 && abs % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
    }

    private static String days(Number days) {
        return days.longValue() < 0
                ? QuantityText.relativeDays(days.longValue())
                : grouped(days) + (days.longValue() == 1 ? " day" : " days");
    }

    private static String bytes(long bytes) {
        if (Math.abs(bytes) < 1000) {
            return bytes + (bytes == 1 ? " byte" : " bytes");
        }
        double size = bytes;
        int step = -1;
        while (Math.abs(size) >= 999.95 && step < BYTE_UNITS.size() - 1) {
            size /= 1000;
            step++;
        }
        return String.format(Locale.ROOT, "%.1f %s", size, BYTE_UNITS.get(step));
    }

    private static String grouped(Number value) {
        return value instanceof Integer || value instanceof Long
                ? String.format(Locale.ROOT, "%,d", value.longValue())
                : plain(value);
    }

    private static boolean whole(Number value) {
        double number = value.doubleValue();
        return number == Math.rint(number) && Math.abs(number) < 1e15;
    }

    private static String plain(Number value) {
        return whole(value) ? Long.toString(value.longValue()) : value.toString();
    }
}
