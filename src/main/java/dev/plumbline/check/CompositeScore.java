package dev.plumbline.check;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The score of the parts of a composite, from 0 to 100, by their verdicts. A part with the verdict {@code error} was
 * not determined and does not count. {@code src/docs/overview.md} describes the computation.
 */
public final class CompositeScore {
    private static final int PASS = 100;
    private static final int WARN = 70;

    /** The highest score of an area with a failed part: grade D. */
    private static final int MAX_WITH_FAILED_PART = 59;

    /** The highest total score with a failed part: grade C. */
    private static final int MAX_TOTAL_WITH_FAILED_PART = 74;

    private CompositeScore() {}

    /**
     * The score of an area: the mean of its parts, at most 59 if a part failed.
     *
     * @return null if fewer than half of the parts were determined
     */
    public static @Nullable Integer ofArea(Collection<Verdict> parts) {
        int determined = 0;
        int points = 0;
        for (Verdict verdict : parts) {
            determined += verdict == Verdict.ERROR ? 0 : 1;
            points += verdict == Verdict.PASS ? PASS : verdict == Verdict.WARN ? WARN : 0;
        }
        return determined == 0 || 2 * determined < parts.size()
                ? null
                : limited(points / determined, parts, MAX_WITH_FAILED_PART);
    }

    /**
     * The score of all areas: the mean of their scores, at most 74 if a part failed.
     *
     * @param areas the scores of the areas with parts, null if not determined
     * @param parts the verdicts of all parts
     * @return null if fewer than half of the areas or of the parts were determined
     */
    public static @Nullable Integer total(Collection<@Nullable Integer> areas, Collection<Verdict> parts) {
        List<Integer> scores = areas.stream().filter(Objects::nonNull).toList();
        long errors = parts.stream().filter(verdict -> verdict == Verdict.ERROR).count();
        if (scores.isEmpty() || 2 * scores.size() < areas.size() || 2 * errors > parts.size()) {
            return null;
        }
        int sum = scores.stream().mapToInt(Integer::intValue).sum();
        return limited(sum / scores.size(), parts, MAX_TOTAL_WITH_FAILED_PART);
    }

    /** The grade of a score; null if there is no score. */
    public static @Nullable String grade(@Nullable Integer score) {
        return score == null ? null : Grade.of(score);
    }

    private static int limited(int score, Collection<Verdict> parts, int max) {
        return parts.contains(Verdict.FAIL) ? Math.min(score, max) : score;
    }
}
