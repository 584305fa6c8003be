package dev.plumbline.probe.registry;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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

    /** EPP status codes (RFC 5731 section 2.3, RFC 3915 section 3.1), by their names in lower case. */
    private static final Map<String, String> STATUSES = Stream.of(
                    ("clientDeleteProhibited clientHold clientRenewProhibited clientTransferProhibited "
                                    + "clientUpdateProhibited inactive ok pendingCreate pendingDelete pendingRenew "
                                    + "pendingTransfer pendingUpdate serverDeleteProhibited serverHold serverRenewProhibited "
                                    + "serverTransferProhibited serverUpdateProhibited addPeriod autoRenewPeriod redemptionPeriod "
                                    + "pendingRestore renewPeriod transferPeriod")
                            .split(" "))
            .collect(Collectors.toUnmodifiableMap(name -> name.toLowerCase(Locale.ROOT), Function.identity()));

    /** A link, a remark or a result code at a status. */
    private static final Pattern STATUS_COMMENT = Pattern.compile("^\\d{3} |\\s+(?:https?:|\\(|-(?:\\s|$)).*$");

    private static final Pattern NAME =
            Pattern.compile("[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)+");
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+");
    private static final Pattern EMAIL = Pattern.compile("[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}");

    /** A time of day after a date, with an optional offset or name of a time zone. */
    private static final Pattern TIME = Pattern.compile("[T\\s-]+(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:\\.\\d{1,9})?)?\\s*"
            + "(Z|[+-]\\d{2}(?::?\\d{2})?|\\(?[A-Z]{2,5}(?:[+-]\\d{1,2}(?::\\d{2})?)?\\)?)?(?=\\s|$)");

    private static final Pattern YEAR_FIRST =
            Pattern.compile("(\\d{4})[-/. ]{1,2}(\\d{1,2}|[A-Za-z]{3,9})[-/. ]{1,2}(\\d{1,2})");
    private static final Pattern COMPACT = Pattern.compile("(\\d{4})(\\d{2})(\\d{2})(?:(\\d{2})(\\d{2})(\\d{2}))?");
    private static final Pattern YEAR_LAST =
            Pattern.compile("(\\d{1,2})([-/. ]{1,2})(\\d{1,2}|[A-Za-z]{3,9})[-/. ]{1,2}(\\d{4})");
    private static final Pattern MONTH_FIRST = Pattern.compile("([A-Za-z]{3,9})[-. ]{1,2}(\\d{1,2}) {1,2}(\\d{4})");

    /** Text around a date: format hints, quotes, weekdays, ordinals, and who made a change. */
    private static final Pattern DATE_NOISE = Pattern.compile(
            "\\((?:YYYY-MM-DD|dd/mm/yyyy)\\)|^\"|\"$|\\s#.*$|(?<=\\d)(?:st|nd|rd|th)\\b|,"
                    + "|^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}\\b"
                    + "|^\\S+(?: AT \\S+)? (?=\\d{8}(?:\\d{6})?(?:\\s|$))|\\([A-Za-z ]{6,}\\)$",
            Pattern.CASE_INSENSITIVE);

    private static final List<String> MONTHS =
            List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");

    /** Offsets of time zones in hours. A name that is not listed is read as UTC. */
    private static final Map<String, Integer> ZONES = Map.ofEntries(
            Map.entry("BST", 1),
            Map.entry("CET", 1),
            Map.entry("CEST", 2),
            Map.entry("EET", 2),
            Map.entry("EEST", 3),
            Map.entry("MSK", 3),
            Map.entry("EAT", 3),
            Map.entry("HKT", 8),
            Map.entry("SGT", 8),
            Map.entry("JST", 9),
            Map.entry("KST", 9),
            Map.entry("CLST", -3),
            Map.entry("CLT", -4),
            Map.entry("EDT", -4),
            Map.entry("EST", -5),
            Map.entry("PDT", -7),
            Map.entry("PST", -8));

    private RegistryValueParser() {}

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
        String word = STATUS_COMMENT.matcher(plain).replaceFirst("");
        String code = STATUSES.get(statusKey(word));
        return code == null ? word.isEmpty() ? plain : word : code;
    }

    /** The statuses of a list that is separated by commas. */
    static List<String> statusList(String text) {
        return Stream.ofNullable(value(text))
                .flatMap(plain -> Stream.of(plain.split(",")))
                .flatMap(status -> Stream.ofNullable(status(status)))
                .toList();
    }

    static boolean isEppStatus(String status) {
        return STATUSES.containsValue(status);
    }

    private static String statusKey(String word) {
        String plain = word.replaceAll("[ _-]", "").toLowerCase(Locale.ROOT);
        return plain.endsWith("byregistrar")
                ? "client" + plain.substring(0, plain.length() - "byregistrar".length())
                : plain.endsWith("byregistry")
                        ? "server" + plain.substring(0, plain.length() - "byregistry".length())
                        : plain;
    }

    /** The hostname at the start of the value; addresses after it are ignored. */
    static @Nullable String nameserver(@Nullable String text) {
        String plain = value(text);
        if (plain == null) {
            return null;
        }
        String first = plain.split("[\\s,;\\[(]", 2)[0].toLowerCase(Locale.ROOT);
        first = first.endsWith(".") ? first.substring(0, first.length() - 1) : first;
        return NAME.matcher(first).matches() && !ADDRESS.matcher(first).matches() ? first : null;
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
        return date(text, null);
    }

    /**
     * A date and time. A date without a time is the start of the day in UTC.
     *
     * @param dayFirst whether dates such as 03/04/2024 start with the day; null if that is not known
     */
    static @Nullable Instant date(@Nullable String text, @Nullable Boolean dayFirst) {
        String plain = value(text);
        if (plain == null || plain.length() > MAX_DATE) {
            return null;
        }
        try {
            String day = DATE_NOISE.matcher(plain).replaceAll("").strip();
            int hour = 0;
            int minute = 0;
            int second = 0;
            ZoneOffset offset = ZoneOffset.UTC;
            Matcher time = TIME.matcher(day);
            if (time.find()) {
                String zone = time.group(4) == null ? "" : time.group(4).replaceAll("[()]", "");
                hour = Integer.parseInt(time.group(1)) % (zone.endsWith("M") && zone.length() == 2 ? 12 : 24);
                hour += zone.equals("PM") ? 12 : 0;
                minute = Integer.parseInt(time.group(2));
                second = time.group(3) == null ? 0 : Integer.parseInt(time.group(3));
                offset = offset(zone);
                day = day.substring(0, time.start()) + " " + day.substring(time.end());
            }
            Matcher compact = COMPACT.matcher(day.strip());
            if (compact.matches() && compact.group(4) != null) {
                hour = Integer.parseInt(compact.group(4));
                minute = Integer.parseInt(compact.group(5));
                second = Integer.parseInt(compact.group(6));
            }
            LocalDate date =
                    day(day.replaceFirst("(?:\\s+(?:at|\\(?(?:UTC|GMT|JST|KST)\\)?)|\\.)?\\s*$", ""), dayFirst);
            return date == null ? null : date.atTime(hour, minute, second).toInstant(offset);
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static ZoneOffset offset(String zone) {
        String digits = zone.replaceFirst("^(?:UTC|GMT)", "");
        if (digits.isEmpty() || !"+-".contains(digits.substring(0, 1))) {
            return ZoneOffset.ofHours(ZONES.getOrDefault(zone, 0));
        }
        String[] parts = digits.substring(1).split(":");
        boolean compact = parts[0].length() > 2;
        int hours = Integer.parseInt(compact ? parts[0].substring(0, 2) : parts[0]);
        int minutes =
                compact ? Integer.parseInt(parts[0].substring(2)) : parts.length > 1 ? Integer.parseInt(parts[1]) : 0;
        int seconds = (hours * 60 + minutes) * 60;
        return ZoneOffset.ofTotalSeconds(digits.charAt(0) == '-' ? -seconds : seconds);
    }

    private static @Nullable LocalDate day(String text, @Nullable Boolean dayFirst) {
        String day = text.strip();
        Matcher match = YEAR_FIRST.matcher(day);
        if (match.matches()) {
            return LocalDate.of(number(match, 1), month(match.group(2)), number(match, 3));
        }
        match = COMPACT.matcher(day);
        if (match.matches()) {
            return LocalDate.of(number(match, 1), number(match, 2), number(match, 3));
        }
        match = MONTH_FIRST.matcher(day);
        if (match.matches()) {
            return LocalDate.of(number(match, 3), month(match.group(1)), number(match, 2));
        }
        match = YEAR_LAST.matcher(day);
        if (!match.matches()) {
            return null;
        }
        int first = number(match, 1);
        int second = month(match.group(3));
        int year = number(match, 4);
        // Some registries of small countries write the month first.
        boolean slashes = match.group(2).equals("/");
        if (slashes && (second > MONTHS.size() || Boolean.FALSE.equals(dayFirst))) {
            return LocalDate.of(year, first, second);
        }
        boolean ambiguous = slashes && dayFirst == null && first <= MONTHS.size() && first != second;
        return ambiguous ? null : LocalDate.of(year, second, first);
    }

    private static int number(Matcher match, int group) {
        return Integer.parseInt(match.group(group));
    }

    /** The number of a month; 0 if it is not one. */
    private static int month(String text) {
        return Character.isDigit(text.charAt(0))
                ? Integer.parseInt(text)
                : 1 + MONTHS.indexOf(text.substring(0, 3).toLowerCase(Locale.ROOT));
    }
}
