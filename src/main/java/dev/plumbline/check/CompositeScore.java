package dev.plumbline.check;

import dev.plumbline.result.Grade;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The scores of a composite, from 0 to 100, by the verdicts of its parts. {@code src/docs/overview.md} describes the
 * computation. Fixing a problem never lowers a score.
 */
public final class CompositeScore {
    private static final int PASS = 100;
    private static final int WARN = 70;

    /** The highest score of an area with a failed part: grade D. */
    private static final int MAX_WITH_FAILED_PART = 59;

    /** The highest total score with a failed part: grade C. */
    private static final int MAX_TOTAL_WITH_FAILED_PART = 74;

    /** The highest total score if the website or mail does not work: grade E. */
    private static final int MAX_TOTAL_IF_UNAVAILABLE = 39;

    /** The modules that a problem of the target affects. */
    private final Set<String> affected = new HashSet<>();

    private final Set<String> unavailable = new HashSet<>();

    /** @param causes of the problems of all parts */
    public CompositeScore(List<Cause> causes) {
        for (Cause cause : causes) {
            if (cause.level() != Level.INFO) {
                affected.addAll(cause.parts());
            }
            if (cause.unavailable()) {
                unavailable.addAll(cause.parts());
            }
        }
    }

    /**
     * The score of an area: the mean of its parts, at most 59 if a part failed, and 0 if a part failed or did not
     * complete because of a cause with the consequence {@code unavailable}. A part that did not complete because of the
     * target counts 0, other parts with the verdict {@code error} do not count.
     *
     * @return null if fewer than half of the parts were determined
     */
    public @Nullable Integer ofArea(Collection<PartResult> parts) {
        int determined = 0;
        int points = 0;
        for (PartResult part : parts) {
            Verdict verdict = part.verdict();
            if (unavailable.contains(part.module()) && verdict != Verdict.PASS && verdict != Verdict.WARN) {
                return 0;
            }
            determined += verdict != Verdict.ERROR || affected.contains(part.module()) ? 1 : 0;
            points += verdict == Verdict.PASS ? PASS : verdict == Verdict.WARN ? WARN : 0;
        }
        return determined == 0 || 2 * determined < parts.size()
                ? null
                : limited(points / determined, parts, MAX_WITH_FAILED_PART);
    }

    /**
     * The score of all areas: the mean of their scores, at most 74 if a part failed, and at most 39 if the score of an
     * area is 0 because of its consequence.
     *
     * @param areas the scores of the areas with parts, null if not determined
     * @param parts of all areas
     * @return null if fewer than half of the areas or of the parts were determined
     */
    public @Nullable Integer total(Collection<@Nullable Integer> areas, Collection<PartResult> parts) {
        List<Integer> scores = areas.stream().filter(Objects::nonNull).toList();
        long errors = parts.stream()
                .filter(part -> part.verdict() == Verdict.ERROR && !affected.contains(part.module()))
                .count();
        if (scores.isEmpty() || 2 * scores.size() < areas.size() || 2 * errors > parts.size()) {
            return null;
        }
        int mean = scores.stream().mapToInt(Integer::intValue).sum() / scores.size();
        int score = limited(mean, parts, MAX_TOTAL_WITH_FAILED_PART);
        return unavailable.isEmpty() ? score : Math.min(score, MAX_TOTAL_IF_UNAVAILABLE);
    }

    /** The grade of a score; null if there is no score. */
    public static @Nullable String grade(@Nullable Integer score) {
        return score == null ? null : Grade.of(score);
    }

    private static int limited(int score, Collection<PartResult> parts, int max) {
        return parts.stream().anyMatch(part -> part.verdict() == Verdict.FAIL) ? Math.min(score, max) : score;
    }
}
