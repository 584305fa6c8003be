package dev.plumbline.sheet;

import dev.plumbline.result.QuantityText;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A text with the placeholders {@code {field}}, {@code {field.member}} and {@code {field:format}}. A part in brackets
 * is omitted if one of its placeholders does not have a value. Null, empty text and empty lists are not values.
 */
record HeadlineTemplate(List<Part> parts) {
    private static final Pattern PART = Pattern.compile("\\[([^\\[\\]]*)]|([^\\[\\]]+)");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-z0-9_.]+)(?::([a-z]+))?}");
    private static final Pattern UNKNOWN = Pattern.compile("[{}\\[\\]]");
    private static final int MAX_CHARACTERS = 80;
    private static final int MAX_ITEMS = 3;
    private static final int MAX_PATH = 5;

    enum Format {
        /** Text, a number with its unit, or the first items of a list. */
        PLAIN,
        /** The number of items of a list. */
        COUNT,
        /** The number of items of each list in an object: {@code 2 A, 1 MX}. */
        COUNTS,
        /** Days remaining: {@code expires in 12 days}, {@code expired 11 days ago}; with a capital at the start. */
        EXPIRY,
        /** As {@link #EXPIRY}; does not have a value before the expiry. */
        EXPIRED,
        /** Days remaining: {@code 12 days}; does not have a value after the expiry. */
        DAYS,
        /** The day of a time in UTC: {@code 31 Jan 2027}. */
        DATE,
        /** The items of a list, separated by arrows. */
        PATH;

        /** Whether the text consists of words of a sentence instead of values. */
        boolean isSentence() {
            return this == EXPIRY || this == EXPIRED;
        }
    }

    record Placeholder(List<String> path, Format format, FieldDescription field) {}

    /** @param texts the texts before, between and after the placeholders */
    record Part(boolean optional, List<String> texts, List<Placeholder> placeholders) {}

    /** @throws IllegalArgumentException naming the placeholder that is not valid */
    static HeadlineTemplate parse(String text, List<FieldDescription> fields) {
        List<Part> parts = new ArrayList<>();
        Matcher matcher = PART.matcher(text);
        for (int start = 0; start < text.length(); start = matcher.end()) {
            if (!matcher.region(start, text.length()).lookingAt()) {
                throw new IllegalArgumentException("brackets do not match in \"" + text + '"');
            }
            boolean optional = matcher.group(1) != null;
            parts.add(part(optional, optional ? matcher.group(1) : matcher.group(2), fields));
        }
        return new HeadlineTemplate(List.copyOf(parts));
    }

    private static Part part(boolean optional, String text, List<FieldDescription> fields) {
        List<String> texts = new ArrayList<>();
        List<Placeholder> placeholders = new ArrayList<>();
        Matcher matcher = PLACEHOLDER.matcher(text);
        int start = 0;
        while (matcher.find()) {
            texts.add(text.substring(start, matcher.start()));
            placeholders.add(placeholder(matcher.group(1), matcher.group(2), fields));
            start = matcher.end();
        }
        texts.add(text.substring(start));
        if (texts.stream().anyMatch(rest -> UNKNOWN.matcher(rest).find())) {
            throw new IllegalArgumentException("\"" + text + "\" contains a placeholder that is not valid");
        }
        return new Part(optional, List.copyOf(texts), List.copyOf(placeholders));
    }

    private static Placeholder placeholder(String path, @Nullable String format, List<FieldDescription> fields) {
        List<String> names = List.of(path.split("\\."));
        List<FieldDescription> siblings = fields;
        FieldDescription field = null;
        boolean list = false;
        for (String name : names) {
            field = siblings.stream()
                    .filter(candidate -> candidate.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("field " + path + " is not declared"));
            list |= field.type() == FieldType.ARRAY;
            siblings = field.members();
        }
        Format parsed = format == null ? Format.PLAIN : format(format);
        FieldDescription last = Objects.requireNonNull(field);
        boolean valid =
                switch (parsed) {
                    case PLAIN -> last.type() != FieldType.BOOLEAN && last.type() != FieldType.OBJECT;
                    case COUNT, PATH -> list;
                    case COUNTS ->
                        last.type() == FieldType.OBJECT && last.members().isEmpty();
                    case EXPIRY, EXPIRED, DAYS -> last.type() == FieldType.INTEGER;
                    case DATE -> last.type() == FieldType.TIME;
                };
        if (!valid) {
            throw new IllegalArgumentException(
                    "field " + path + " cannot be displayed as " + parsed.name().toLowerCase(Locale.ROOT));
        }
        return new Placeholder(names, parsed, last);
    }

    private static Format format(String name) {
        return Arrays.stream(Format.values())
                .filter(format -> format.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("format " + name + " is not known"));
    }

    /** The text; null if a placeholder outside of brackets does not have a value. */
    @Nullable
    String fill(Map<String, ?> fields) {
        StringBuilder out = new StringBuilder();
        for (Part part : parts) {
            String text = fill(part, fields, out.isEmpty());
            if (text != null) {
                out.append(text);
            } else if (!part.optional()) {
                return null;
            }
        }
        return out.toString();
    }

    /** @param start whether the headline starts with this part */
    private static @Nullable String fill(Part part, Map<String, ?> fields, boolean start) {
        StringBuilder out = new StringBuilder(part.texts().get(0));
        for (int i = 0; i < part.placeholders().size(); i++) {
            Placeholder placeholder = part.placeholders().get(i);
            Object value = value(fields, placeholder.path());
            String text = value == null ? "" : text(placeholder, value);
            if (text.isEmpty()) {
                return null;
            }
            boolean sentence = start && out.isEmpty() && placeholder.format().isSentence();
            out.append(sentence ? Character.toUpperCase(text.charAt(0)) + text.substring(1) : text)
                    .append(part.texts().get(i + 1));
        }
        return out.toString();
    }

    /** The value at the path. The members of the objects in a list are a list. */
    private static @Nullable Object value(@Nullable Object start, List<String> path) {
        Object value = start;
        for (int i = 0; i < path.size(); i++) {
            if (value instanceof Collection<?> items) {
                List<String> rest = path.subList(i, path.size());
                return items.stream()
                        .map(item -> value(item, rest))
                        .filter(Objects::nonNull)
                        .toList();
            }
            value = value instanceof Map<?, ?> members ? members.get(path.get(i)) : null;
        }
        return value;
    }

    private static String text(Placeholder placeholder, Object value) {
        Collection<?> items = value instanceof Collection<?> list ? list : List.of(value);
        return switch (placeholder.format()) {
            case PLAIN -> join(items, placeholder.field());
            case COUNT -> items.isEmpty() ? "" : Integer.toString(items.size());
            case COUNTS -> value instanceof Map<?, ?> lists ? counts(lists) : "";
            case EXPIRY -> value instanceof Number days ? QuantityText.expiry(days.longValue()) : "";
            case EXPIRED ->
                value instanceof Number days && days.longValue() < 0 ? QuantityText.expiry(days.longValue()) : "";
            case DAYS ->
                value instanceof Number days && days.longValue() >= 0 ? QuantityText.days(days.longValue()) : "";
            case DATE -> date(value);
            case PATH -> path(items, placeholder.field());
        };
    }

    /** @param value an {@link Instant}, or the text of a time in a serialized result */
    private static String date(Object value) {
        try {
            Instant time = value instanceof Instant instant ? instant : Instant.parse(value.toString());
            return QuantityText.date(LocalDate.ofInstant(time, ZoneOffset.UTC));
        } catch (DateTimeException e) {
            return "";
        }
    }

    private static String join(Collection<?> items, FieldDescription field) {
        String shown =
                items.stream().limit(MAX_ITEMS).map(item -> item(item, field)).collect(Collectors.joining(", "));
        int more = items.size() - MAX_ITEMS;
        return more > 0 ? shown + " and " + more + " more" : shown;
    }

    private static String path(Collection<?> items, FieldDescription field) {
        String shown =
                items.stream().limit(MAX_PATH).map(item -> item(item, field)).collect(Collectors.joining(" → "));
        return items.size() > MAX_PATH ? shown + " → …" : shown;
    }

    private static String counts(Map<?, ?> lists) {
        return lists.entrySet().stream()
                .filter(entry -> entry.getValue() instanceof Collection<?> items && !items.isEmpty())
                .map(entry -> ((Collection<?>) entry.getValue()).size() + " " + FindingText.of(entry.getKey()))
                .collect(Collectors.joining(", "));
    }

    private static String item(@Nullable Object value, FieldDescription field) {
        if (value instanceof Number number) {
            return field.name().endsWith("_ms")
                    ? QuantityText.milliseconds(number.doubleValue())
                    : FindingText.of(number);
        }
        String text = FindingText.of(Objects.toString(value, ""));
        if (field.values().contains(text)) {
            return text.replace('_', ' ');
        }
        return text.codePointCount(0, text.length()) <= MAX_CHARACTERS
                ? text
                : text.substring(0, text.offsetByCodePoints(0, MAX_CHARACTERS)) + "…";
    }
}
