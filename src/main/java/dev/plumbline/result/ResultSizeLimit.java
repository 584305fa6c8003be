package dev.plumbline.result;

import dev.plumbline.target.PrintableText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Limits a result to 64 KiB of JSON. Truncates the largest fields to equal sizes, and lists them. No value is measured
 * beyond what fits, because values of several MiB would block the event loop.
 */
public final class ResultSizeLimit {
    /** The maximum size of a result as JSON, in bytes. */
    public static final int MAX = 64 * 1024;

    /** The maximum length of messages and actions, in characters. */
    public static final int MAX_TEXT_LENGTH = 1024;

    private static final int MAX_FINDINGS = 100;

    /** Reserves more than a third of a result for its fields. */
    private static final int MAX_FINDINGS_BYTES = 24 * 1024;

    /** The size of the largest scalar (a time), in bytes. A smaller part of a value is not worth keeping. */
    private static final int MIN_PART_SIZE = 48;

    private ResultSizeLimit() {}

    /** The fields after truncation, and the names of the truncated fields. */
    public record Cut(Map<String, @Nullable Object> fields, List<String> truncated) {}

    /** @param budget the maximum size of the fields as JSON, in bytes */
    public static Cut cut(Map<String, @Nullable Object> fields, int budget) {
        if (sizeUpTo(budget, fields) <= budget) {
            return new Cut(fields, List.of());
        }
        int maxFieldSize = maxValueSize(fields, budget);
        Map<String, @Nullable Object> kept = new LinkedHashMap<>();
        List<String> truncated = new ArrayList<>();
        for (Map.Entry<String, @Nullable Object> field : fields.entrySet()) {
            Object value = field.getValue();
            boolean fits = sizeUpTo(maxFieldSize, value) <= maxFieldSize;
            kept.put(field.getKey(), fits ? value : firstPart(value, maxFieldSize));
            if (!fits && isDivisible(value)) {
                truncated.add(field.getKey());
            }
        }
        return new Cut(kept, truncated);
    }

    /** Returns the maximum size of a value that makes the map fit when all larger values are truncated to it. */
    private static int maxValueSize(Map<?, ?> map, int budget) {
        int remaining = budget - 2;
        List<Integer> sizes = new ArrayList<>(map.size());
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            remaining -= 2 + size(entry.getKey());
            sizes.add(sizeUpTo(budget, entry.getValue()));
        }
        Collections.sort(sizes);
        for (int i = 0; i < sizes.size(); i++) {
            int share = Math.max(remaining, 0) / (sizes.size() - i);
            if (sizes.get(i) > share) {
                return share;
            }
            remaining -= sizes.get(i);
        }
        return budget;
    }

    /** Returns the first items or characters of a value that exceeds the budget. A scalar is returned unchanged. */
    private static @Nullable Object firstPart(@Nullable Object value, int budget) {
        if (value instanceof String text) {
            return firstCharacters(text, budget);
        }
        if (value instanceof List<?> list) {
            return firstItems(list, budget);
        }
        return value instanceof Map<?, ?> map ? firstEntries(map, budget) : value;
    }

    private static boolean isDivisible(@Nullable Object value) {
        return value instanceof String || value instanceof List<?> || value instanceof Map<?, ?>;
    }

    private static String firstCharacters(String text, int budget) {
        int bytes = 2;
        for (int i = 0; i < text.length(); i++) {
            bytes += size(text.charAt(i));
            if (bytes > budget) {
                return PrintableText.cut(text, i);
            }
        }
        return text;
    }

    /** Returns the items that fit, or a part of the first item if it does not fit. */
    private static List<@Nullable Object> firstItems(List<?> list, int budget) {
        List<@Nullable Object> kept = new ArrayList<>();
        int remaining = budget - 2;
        for (Object item : list) {
            int size = 1 + sizeUpTo(remaining, item);
            if (size > remaining) {
                if (kept.isEmpty() && isDivisible(item) && remaining > MIN_PART_SIZE) {
                    kept.add(firstPart(item, remaining - 1));
                }
                break;
            }
            kept.add(item);
            remaining -= size;
        }
        return kept;
    }

    /** Truncates long values so that all entries fit if possible, and keeps the first entries otherwise. */
    private static Map<Object, @Nullable Object> firstEntries(Map<?, ?> map, int budget) {
        Map<Object, @Nullable Object> kept = new LinkedHashMap<>();
        int maxValueSize = Math.max(MAX_TEXT_LENGTH, maxValueSize(map, budget));
        int remaining = budget - 2;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            remaining -= 2 + size(entry.getKey());
            if (remaining <= MIN_PART_SIZE) {
                break;
            }
            Object value = entry.getValue();
            int max = Math.min(maxValueSize, remaining);
            Object part = sizeUpTo(max, value) <= max ? value : firstPart(value, max);
            kept.put(entry.getKey(), part);
            remaining -= size(part);
        }
        return kept;
    }

    /** Returns the findings that fit, preferring the most severe, in their original order. */
    public static List<Finding> fitting(List<Finding> findings) {
        List<Finding> shortened =
                findings.stream().map(ResultSizeLimit::shorten).toList();
        if (shortened.size() <= MAX_FINDINGS && findingsSize(shortened) <= MAX_FINDINGS_BYTES) {
            return shortened.equals(findings) ? findings : shortened;
        }
        List<Integer> bySeverity = IntStream.range(0, shortened.size())
                .boxed()
                .sorted(Comparator.comparing(i -> shortened.get(i).level(), Level.MOST_SEVERE_FIRST))
                .toList();
        Set<Integer> chosen = new TreeSet<>();
        int bytes = 0;
        for (int i : bySeverity) {
            bytes += size(shortened.get(i));
            if (bytes > MAX_FINDINGS_BYTES || chosen.size() == MAX_FINDINGS) {
                break;
            }
            chosen.add(i);
        }
        return chosen.stream().map(shortened::get).toList();
    }

    private static Finding shorten(Finding finding) {
        String message = PrintableText.cut(finding.message(), MAX_TEXT_LENGTH);
        String action = PrintableText.cut(finding.action(), MAX_TEXT_LENGTH);
        return message.length() == finding.message().length()
                        && action.length() == finding.action().length()
                ? finding
                : new Finding(finding.level(), finding.code(), finding.field(), message, action, finding.reference());
    }

    public static int findingsSize(List<Finding> findings) {
        return findings.stream().mapToInt(finding -> size(finding)).sum();
    }

    private static int size(Finding finding) {
        return 96
                + size(finding.code())
                + size(finding.field())
                + size(finding.message())
                + size(finding.action())
                + size(finding.reference());
    }

    /** Returns an upper bound of the size of a value as JSON, in bytes. */
    public static int size(@Nullable Object value) {
        return sizeUpTo(Integer.MAX_VALUE, value);
    }

    /** Like {@link #size(Object)}, but stops measuring when the limit is exceeded. */
    private static int sizeUpTo(int limit, @Nullable Object value) {
        int bytes = 2;
        if (value instanceof String text) {
            for (int i = 0; i < text.length() && bytes <= limit; i++) {
                bytes += size(text.charAt(i));
            }
        } else if (value instanceof List<?> list) {
            for (Object item : list) {
                bytes += 1 + sizeUpTo(limit - bytes, item);
                if (bytes > limit) {
                    break;
                }
            }
        } else if (value instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                bytes += 2 + sizeUpTo(limit - bytes, entry.getKey());
                bytes += sizeUpTo(limit - bytes, entry.getValue());
                if (bytes > limit) {
                    break;
                }
            }
        } else {
            return value instanceof Instant ? MIN_PART_SIZE : 26;
        }
        return bytes;
    }

    /** Control characters and surrogates are written as escapes. */
    private static int size(char c) {
        if (c < 0x20 || Character.isSurrogate(c)) {
            return 6;
        }
        if (c < 0x80) {
            return c == '"' || c == '\\' ? 2 : 1;
        }
        return 3;
    }
}
