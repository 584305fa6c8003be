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
 * Keeps a result within 64 KiB of JSON: what is largest is halved until all fits, and what was cut
 * is named.
 */
final class ResultSizeLimit {
    /** The most that a result may take as JSON, in bytes. */
    static final int MOST = 64 * 1024;

    /** A text for people is cut at this length, in characters. */
    static final int LONG_TEXT = 1024;

    private static final int MOST_FINDINGS = 100;

    /** Leaves more than a third of a result to its fields, whatever else it holds. */
    private static final int MOST_BYTES_OF_FINDINGS = 24 * 1024;

    private ResultSizeLimit() {}

    /** What is left of the fields, and the names of those that were cut. */
    record Cut(Map<String, @Nullable Object> fields, List<String> truncated) {}

    /**
     * @param budget bytes that the fields may take as JSON
     */
    static Cut cut(Map<String, @Nullable Object> fields, int budget) {
        if (size(fields) <= budget) {
            return new Cut(fields, List.of());
        }
        Map<String, @Nullable Object> kept = new LinkedHashMap<>(fields);
        List<String> truncated = new ArrayList<>();
        while (size(kept) > budget) {
            String largest = largest(kept);
            Object value = kept.get(largest);
            Object less = less(value);
            if (size(less) >= size(value)) {
                break; // only numbers and the like are left
            }
            kept.put(largest, less);
            if (!truncated.contains(largest)) {
                truncated.add(largest);
            }
        }
        return new Cut(kept, truncated);
    }

    /** The findings that fit, the gravest before others, in the order in which they were made. */
    static List<Finding> fitting(List<Finding> findings) {
        List<Finding> shortened =
                findings.stream().map(ResultSizeLimit::shorten).toList();
        if (shortened.size() <= MOST_FINDINGS && findingsSize(shortened) <= MOST_BYTES_OF_FINDINGS) {
            return shortened.equals(findings) ? findings : shortened;
        }
        List<Integer> gravestFirst = new ArrayList<>();
        for (int i = 0; i < shortened.size(); i++) {
            gravestFirst.add(i);
        }
        gravestFirst.sort(Comparator.comparing(i -> shortened.get(i).level(), Level.GRAVEST_FIRST));
        Set<Integer> chosen = new HashSet<>();
        int bytes = 0;
        for (int i : gravestFirst) {
            bytes += size(shortened.get(i));
            if (bytes > MOST_BYTES_OF_FINDINGS || chosen.size() == MOST_FINDINGS) {
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
        String message = shorten(finding.message(), LONG_TEXT);
        String action = shorten(finding.action(), LONG_TEXT);
        return message.length() == finding.message().length()
                        && action.length() == finding.action().length()
                ? finding
                : new Finding(finding.level(), finding.code(), finding.field(), message, action, finding.reference());
    }

    private static String largest(Map<String, @Nullable Object> fields) {
        String largest = "";
        int most = -1;
        for (Map.Entry<String, @Nullable Object> entry : fields.entrySet()) {
            int size = size(entry.getValue());
            if (size > most) {
                most = size;
                largest = entry.getKey();
            }
        }
        return largest;
    }

    /** About half of it, at any rate less: the first items, the first characters. */
    private static @Nullable Object less(@Nullable Object value) {
        if (value instanceof String text) {
            return shorten(text, text.length() / 2);
        }
        if (value instanceof List<?> list) {
            if (list.size() > 1) {
                return new ArrayList<>(list.subList(0, list.size() / 2));
            }
            List<@Nullable Object> only = new ArrayList<>();
            for (Object item : list) {
                Object less = less(item);
                if (size(less) < size(item)) {
                    only.add(less);
                }
            }
            return only;
        }
        if (value instanceof Map<?, ?> map) {
            return lessOfMap(map);
        }
        return value;
    }

    /** Long values are cut before any of them is left out. */
    private static Map<Object, @Nullable Object> lessOfMap(Map<?, ?> map) {
        Map<Object, @Nullable Object> kept = new LinkedHashMap<>();
        boolean longValues = map.values().stream().anyMatch(value -> size(value) > LONG_TEXT);
        int room = longValues ? map.size() : map.size() / 2;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (kept.size() >= room) {
                break;
            }
            Object value = entry.getValue();
            kept.put(entry.getKey(), size(value) > LONG_TEXT ? less(value) : value);
        }
        return kept;
    }

    /** Cuts between characters, never inside a surrogate pair. */
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

    /** An upper bound of the bytes that a value takes as JSON. */
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

    /** Controls and halves of surrogate pairs are written as escapes. */
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
