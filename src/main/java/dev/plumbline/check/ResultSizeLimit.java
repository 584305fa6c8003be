package dev.plumbline.check;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits a result to 64 KiB of JSON. Halves the largest field until the result fits, and lists the truncated fields.
 */
final class ResultSizeLimit {
    /** The maximum size of a result as JSON, in bytes. */
    static final int MAX = 64 * 1024;

    /** The maximum length of messages and actions, in characters. */
    static final int MAX_TEXT_LENGTH = 1024;

    private static final int MAX_FINDINGS = 100;

    /** Reserves more than a third of a result for its fields. */
    private static final int MAX_FINDINGS_BYTES = 24 * 1024;

    private ResultSizeLimit() {}

    /** The fields after truncation, and the names of the truncated fields. */
    record Cut(Map<String, @Nullable Object> fields, List<String> truncated) {}

    /** @param budget the maximum size of the fields as JSON, in bytes */
    static Cut cut(Map<String, @Nullable Object> fields, int budget) {
        if (size(fields) <= budget) {
            return new Cut(fields, List.of());
        }
        Map<String, @Nullable Object> kept = new LinkedHashMap<>(fields);
        List<String> truncated = new ArrayList<>();
        while (size(kept) > budget) {
            String largest = largest(kept);
            Object value = kept.get(largest);
            Object half = half(value);
            if (size(half) >= size(value)) {
                break; // only scalars are left
            }
            kept.put(largest, half);
            if (!truncated.contains(largest)) {
                truncated.add(largest);
            }
        }
        return new Cut(kept, truncated);
    }

    /** Returns the findings that fit, preferring the most severe, in their original order. */
    static List<Finding> fitting(List<Finding> findings) {
        List<Finding> shortened =
                findings.stream().map(ResultSizeLimit::shorten).toList();
        if (shortened.size() <= MAX_FINDINGS && findingsSize(shortened) <= MAX_FINDINGS_BYTES) {
            return shortened.equals(findings) ? findings : shortened;
        }
        List<Integer> bySeverity = new ArrayList<>();
        for (int i = 0; i < shortened.size(); i++) {
            bySeverity.add(i);
        }
        bySeverity.sort(Comparator.comparing(i -> shortened.get(i).level(), Level.MOST_SEVERE_FIRST));
        Set<Integer> chosen = new HashSet<>();
        int bytes = 0;
        for (int i : bySeverity) {
            bytes += size(shortened.get(i));
            if (bytes > MAX_FINDINGS_BYTES || chosen.size() == MAX_FINDINGS) {
                break;
            }
            chosen.add(i);
        }
        List<Finding> kept = new ArrayList<>();
        for (int i = 0; i < shortened.size(); i++) {
            if (chosen.contains(i)) {
                kept.add(shortened.get(i));
            }
        }
        return kept;
    }

    private static Finding shorten(Finding finding) {
        String message = shorten(finding.message(), MAX_TEXT_LENGTH);
        String action = shorten(finding.action(), MAX_TEXT_LENGTH);
        return message.length() == finding.message().length()
                        && action.length() == finding.action().length()
                ? finding
                : new Finding(finding.level(), finding.code(), finding.field(), message, action, finding.reference());
    }

    private static String largest(Map<String, @Nullable Object> fields) {
        String largest = "";
        int max = -1;
        for (Map.Entry<String, @Nullable Object> entry : fields.entrySet()) {
            int size = size(entry.getValue());
            if (size > max) {
                max = size;
                largest = entry.getKey();
            }
        }
        return largest;
    }

    /** Returns the first half of the items or characters. */
    private static @Nullable Object half(@Nullable Object value) {
        if (value instanceof String text) {
            return shorten(text, text.length() / 2);
        }
        if (value instanceof List<?> list) {
            if (list.size() > 1) {
                return new ArrayList<>(list.subList(0, list.size() / 2));
            }
            List<@Nullable Object> only = new ArrayList<>();
            for (Object item : list) {
                Object half = half(item);
                if (size(half) < size(item)) {
                    only.add(half);
                }
            }
            return only;
        }
        if (value instanceof Map<?, ?> map) {
            return halfOfMap(map);
        }
        return value;
    }

    /** Halves the values of a map if one is long, otherwise the number of entries. */
    private static Map<Object, @Nullable Object> halfOfMap(Map<?, ?> map) {
        Map<Object, @Nullable Object> kept = new LinkedHashMap<>();
        boolean longValues = map.values().stream().anyMatch(value -> size(value) > MAX_TEXT_LENGTH);
        int maxEntries = longValues ? map.size() : map.size() / 2;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (kept.size() >= maxEntries) {
                break;
            }
            Object value = entry.getValue();
            kept.put(entry.getKey(), size(value) > MAX_TEXT_LENGTH ? half(value) : value);
        }
        return kept;
    }

    /** Truncates a text without splitting a surrogate pair. */
    static String shorten(String text, int length) {
        if (text.length() <= length) {
            return text;
        }
        boolean inPair = length > 0 && Character.isHighSurrogate(text.charAt(length - 1));
        return text.substring(0, inPair ? length - 1 : length);
    }

    static int findingsSize(List<Finding> findings) {
        int bytes = 0;
        for (Finding finding : findings) {
            bytes += size(finding);
        }
        return bytes;
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
    static int size(@Nullable Object value) {
        if (value instanceof String text) {
            int bytes = 2;
            for (int i = 0; i < text.length(); i++) {
                bytes += size(text.charAt(i));
            }
            return bytes;
        }
        if (value instanceof List<?> list) {
            int bytes = 2;
            for (Object item : list) {
                bytes += 1 + size(item);
            }
            return bytes;
        }
        if (value instanceof Map<?, ?> map) {
            int bytes = 2;
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                bytes += 2 + size(entry.getKey()) + size(entry.getValue());
            }
            return bytes;
        }
        return value instanceof Instant ? 48 : 26;
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
