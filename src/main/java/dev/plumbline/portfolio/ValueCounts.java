package dev.plumbline.portfolio;

import com.google.common.hash.Hashing;
import dev.plumbline.portfolio.PortfolioSummary.FrequentValue;
import dev.plumbline.target.PrintableText;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The number of occurrences of each text, with bounded memory. Counts are exact until more than {@link #MAX_VALUES}
 * different texts were added. From then on, the texts with the lowest counts are removed, so that each count, and the
 * number of different texts, is a lower bound. Not thread-safe.
 */
final class ValueCounts {
    static final int MAX_VALUES = 4_096;

    private static final int KEPT = MAX_VALUES / 2;

    /** The memory of a text besides its characters, in bytes. */
    private static final int TEXT_BYTES = 160;

    private static final int MAX_LENGTH = 200;
    private static final Comparator<Map.Entry<Value, Long>> MOST_FREQUENT_FIRST =
            Map.Entry.<Value, Long>comparingByValue()
                    .reversed()
                    .thenComparing(entry -> entry.getKey().text())
                    .thenComparing(entry -> entry.getKey().hash());

    /** @param hash of a text that was truncated, otherwise 0 */
    private record Value(String text, long hash) {
        static Value of(String text) {
            return text.length() <= MAX_LENGTH
                    ? new Value(text, 0)
                    : new Value(
                            PrintableText.shorten(text, MAX_LENGTH),
                            Hashing.sha256().hashUnencodedChars(text).asLong());
        }

        private int bytes() {
            return TEXT_BYTES + 2 * text.length();
        }
    }

    private final Map<Value, Long> counts = new HashMap<>();
    private boolean exact = true;
    private long bytes;

    /** Adds an occurrence of a text. It is shown with at most 200 characters. */
    void add(String text) {
        Value value = Value.of(text);
        if (counts.merge(value, 1L, Long::sum) == 1) {
            bytes += value.bytes();
        }
        if (counts.size() > MAX_VALUES) {
            List<Value> rare = counts.entrySet().stream()
                    .sorted(MOST_FREQUENT_FIRST)
                    .skip(KEPT)
                    .map(Map.Entry::getKey)
                    .toList();
            rare.forEach(each -> {
                counts.remove(each);
                bytes -= each.bytes();
            });
            exact = false;
        }
    }

    /** The memory of the texts in bytes, approximately. */
    long bytes() {
        return bytes;
    }

    /** Whether no text was removed. */
    boolean isExact() {
        return exact;
    }

    /** The number of different texts, or a lower bound. */
    int distinct() {
        return exact ? counts.size() : MAX_VALUES + 1;
    }

    /** The most frequent texts. */
    List<FrequentValue> top(int limit) {
        return counts.entrySet().stream()
                .sorted(MOST_FREQUENT_FIRST)
                .limit(limit)
                .map(entry -> new FrequentValue(entry.getKey().text(), entry.getValue()))
                .toList();
    }
}
