package dev.plumbline.result;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The grade of a score, as {@code security-headers} and composite reports show it. */
public final class Grade {
    private static final NavigableMap<Integer, String> MIN_SCORES =
            new TreeMap<>(Map.of(0, "F", 20, "E", 40, "D", 60, "C", 75, "B", 90, "A", 100, "A+"));

    private Grade() {}

    /** @param score 0 to 100 */
    public static String of(int score) {
        return MIN_SCORES.floorEntry(score).getValue();
    }
}
