package dev.plumbline.target;

import java.util.Collection;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Finds the name that a user probably intended. */
public final class ClosestName {
    private static final int MAX_EDITS = 2;

    private ClosestName() {}

    /**
     * Returns the most similar name; null if all differ in more than two characters.
     *
     * @param given a name that does not exist
     */
    public static @Nullable String of(String given, Collection<String> names) {
        return names.stream()
                .filter(name -> editDistance(name, given) <= MAX_EDITS)
                .min(Comparator.comparingInt(name -> editDistance(name, given)))
                .orElse(null);
    }

    /** {@code Did you mean 'NAME'?} with a leading space; empty if no name is similar. */
    public static String suggestion(String given, Collection<String> names) {
        String closest = of(given, names);
        return closest == null ? "" : " Did you mean '" + closest + "'?";
    }

    /** The Levenshtein distance; more than two if the lengths differ by more. */
    private static int editDistance(String a, String b) {
        if (Math.abs(a.length() - b.length()) > MAX_EDITS) {
            return Math.abs(a.length() - b.length());
        }
        int[] row = IntStream.rangeClosed(0, b.length()).toArray();
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(substituted, 1 + Math.min(diagonal, row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
