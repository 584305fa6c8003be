package dev.plumbline.probe.registry;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Parses values in the formats of registries. Each method returns null if the value is not valid. */
final class RegistryValueParser {
    private static final int MAX_DATE = 64;
    private static final Pattern SPACE = Pattern.compile("[\\s\\u0085\\p{Zl}\\p{Zp}]+");

    /** Control and format characters, such as direction marks, and surrogates. */
    private static final Pattern INVISIBLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}]");

    private static final int MAX_VALUE = 300;
    private static final int MAX_EMAIL = 254;
    private static final int JAPAN_HOURS = 9;

    /** EPP status codes (RFC 5731 section 2.3, RFC 3915 section 3.1), by their names in lower case. */
    private static final Map<String, String> STATUSES =
            statuses("clientDeleteProhibited clientHold clientRenewProhibited clientTransferProhibited "
                    + "clientUpdateProhibited inactive ok pendingCreate pendingDelete pendingRenew "
                    + "pendingTransfer pendingUpdate serverDeleteProhibited serverHold serverRenewProhibited "
                    + "serverTransferProhibited serverUpdateProhibited addPeriod autoRenewPeriod redemptionPeriod "
                    + "pendingRestore renewPeriod transferPeriod");

    private static final Pattern OFFSET =
            Pattern.compile("(\\d{4}-\\d{2}-\\d{2})[T ](\\d{2}:\\d{2}(?::\\d{2})?)(?:\\.\\d{1,9})?\\s*"
                    + "(Z|UTC|GMT|[+-]\\d{2}(?::?\\d{2})?)");
    private static final Pattern ZONE = Pattern.compile("\\s+\\(?(?:UTC|GMT|JST|CLST|CET|CEST)\\)?$");
    private static final Pattern CLOCK = Pattern.compile(
            "[T\\s]+(\\d{1,2}:\\d{2}(?::\\d{2})?)(?:\\.\\d{1,9})?(?:\\s*[A-Z]{3,4}(?:[+-]\\d{1,2})?)?$");
    private static final Pattern NAME =
            Pattern.compile("[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)+");
    private static final Pattern EMAIL = Pattern.compile("[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}");

    private static final List<DateTimeFormatter> DAYS =
            days("uuuu-MM-dd, uuuu/MM/dd, uuuu.MM.dd, uuuuMMdd, dd-MMM-uuuu, dd MMM uuuu, d MMM uuuu, "
                    + "dd.MM.uuuu, d.M.uuuu, dd/MM/uuuu, dd-MM-uuuu, MMM dd uuuu, MMMM d uuuu, MMM d uuuu, "
                    + "EEE MMM d uuuu, EEE MMM dd uuuu");

    private RegistryValueParser() {}

    private static Map<String, String> statuses(String names) {
        Map<String, String> all = new HashMap<>();
        for (String name : names.split(" ")) {
            all.put(name.toLowerCase(Locale.ROOT), name);
        }
        all.put("active", "ok");
        return Map.copyOf(all);
    }

    private static List<DateTimeFormatter> days(String patterns) {
        return Stream.of(patterns.split(", ")).map(RegistryValueParser::day).toList();
    }

    private static DateTimeFormatter day(String pattern) {
        return new DateTimeFormatterBuilder()
                .parseCaseInsensitive()
                .appendPattern(pattern)
                .toFormatter(Locale.ENGLISH)
                .withResolverStyle(ResolverStyle.STRICT);
    }

    /** The value as one line without invisible characters. Null if it is empty. */
    static @Nullable String value(@Nullable String text) {
        if (text == null) {
            return null;
        }
        String plain = INVISIBLE
                .matcher(SPACE.matcher(text).replaceAll(" "))
                .replaceAll("")
                .strip();
        plain = plain.length() > MAX_VALUE ? plain.substring(0, MAX_VALUE) : plain;
        return plain.isEmpty() ? null : plain;
    }

    /** The EPP status code, or the value itself if it is not one. */
    static @Nullable String status(@Nullable String text) {
        String plain = value(text);
        if (plain == null) {
            return null;
        }
        int url = plain.indexOf(" http");
        int bracket = plain.indexOf(" (");
        int end = url > 0 ? url : bracket > 0 ? bracket : plain.length();
        String word = plain.substring(0, end).strip();
        String code = STATUSES.get(word.replaceAll("[ _-]", "").toLowerCase(Locale.ROOT));
        return code == null ? word : code;
    }

    /** The hostname at the start of the value; addresses after it are ignored. */
    static @Nullable String nameserver(@Nullable String text) {
        String plain = value(text);
        if (plain == null) {
            return null;
        }
        String first = plain.split("[\\s,;\\[(]", 2)[0].toLowerCase(Locale.ROOT);
        first = first.endsWith(".") ? first.substring(0, first.length() - 1) : first;
        return NAME.matcher(first).matches() ? first : null;
    }

    static @Nullable String email(@Nullable String text) {
        String plain = value(text);
        String address =
                plain == null ? "" : plain.toLowerCase(Locale.ROOT).startsWith("mailto:") ? plain.substring(7) : plain;
        return address.length() <= MAX_EMAIL && EMAIL.matcher(address).matches() ? address : null;
    }

    static @Nullable Integer number(@Nullable String text) {
        String plain = value(text);
        return plain != null && plain.matches("[0-9]{1,9}") ? Integer.valueOf(plain) : null;
    }

    /** A date and time. A date without a time is the start of the day in UTC. */
    static @Nullable Instant date(@Nullable String text) {
        String plain = value(text);
        if (plain == null || plain.length() > MAX_DATE) {
            return null;
        }
        try {
            Matcher offset = OFFSET.matcher(plain);
            if (offset.lookingAt()) {
                return withOffset(offset.group(1), offset.group(2), offset.group(3));
            }
            boolean japan = plain.endsWith("(JST)");
            String local = ZONE.matcher(plain).replaceFirst("");
            local = local.replaceFirst("\\s+#.*$", "").replace(",", "");
            String time = "00:00:00";
            Matcher clock = CLOCK.matcher(local);
            boolean hasTime = clock.find();
            if (hasTime) {
                time = clock.group(1);
                local = local.substring(0, clock.start());
            }
            LocalDate day = day(local.replaceFirst("\\.$", "").strip(), DAYS);
            return day == null
                    ? null
                    : LocalDateTime.parse(day + "T" + padded(time))
                            .toInstant(ZoneOffset.ofHours(japan && hasTime ? JAPAN_HOURS : 0));
        } catch (DateTimeException | IndexOutOfBoundsException e) {
            return null;
        }
    }

    private static Instant withOffset(String day, String time, String zone) {
        String offset =
                switch (zone) {
                    case "Z", "UTC", "GMT" -> "Z";
                    default -> {
                        String digits = zone.replace(":", "");
                        yield digits.substring(0, 3) + ":" + (digits.length() > 3 ? digits.substring(3) : "00");
                    }
                };
        return OffsetDateTime.parse(day + "T" + padded(time) + offset).toInstant();
    }

    private static String padded(String time) {
        return time.indexOf(':') == 1 ? "0" + time : time;
    }

    private static @Nullable LocalDate day(String text, List<DateTimeFormatter> formats) {
        for (DateTimeFormatter format : formats) {
            try {
                return LocalDate.parse(text, format);
            } catch (DateTimeException e) {
                continue;
            }
        }
        return null;
    }
}
