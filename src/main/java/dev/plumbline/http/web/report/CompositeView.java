package dev.plumbline.http.web.report;

import dev.plumbline.http.web.layout.Labels;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The problems and the parts of the report of a composite module.
 *
 * @param summary null if the result does not have causes
 * @param grade null if it was not determined
 * @param score of 100; null if it was not determined
 * @param first the problems to fix first
 * @param others the other problems, the most important first
 * @param unavailable whether a problem has the consequence {@code unavailable} and the level {@code fail}
 * @param areas without those that do not have parts
 */
public record CompositeView(
        @Nullable String summary,
        @Nullable String grade,
        @Nullable Integer score,
        List<CauseView> first,
        List<CauseView> others,
        boolean unavailable,
        List<Area> areas) {

    /** The number of other problems, and of checks that were not determined. */
    public String othersLabel() {
        long problems = others.stream().filter(CauseView::determined).count();
        long undetermined = others.stream()
                .filter(cause -> !cause.determined())
                .mapToLong(cause -> 1 + cause.affected.size())
                .sum();
        String checks = undetermined == 1 ? "1 check not determined" : undetermined + " checks not determined";
        if (problems == 0) {
            return checks;
        }
        String label = problems == 1 ? "1 other problem" : problems + " other problems";
        return undetermined == 0 ? label : label + ", " + checks;
    }

    /** Whether the areas have scores of their own. */
    public boolean scored() {
        return areas.size() > 1 && areas.stream().anyMatch(area -> area.verdict != null);
    }

    /** Whether the score is limited because a part of the domain does not work. */
    public boolean limited() {
        return unavailable && scored();
    }

    /** The class of the colors of the grade. */
    public String tone() {
        return Labels.gradeTone(grade);
    }

    /**
     * A problem of one or more parts.
     *
     * @param level of the problem, {@code error} if the parts were not determined
     * @param consequence the label of the consequence; empty if the parts were not determined
     * @param title of the finding; null for an error and for a finding that the module does not declare
     * @param check the title of the check that reports the problem
     * @param path of the report of this check; null if it does not have a target
     * @param affected the other parts that it affects
     */
    public record CauseView(
            String level,
            String consequence,
            @Nullable String title,
            String check,
            @Nullable String path,
            String message,
            String action,
            List<Part> affected) {

        public String levelLabel() {
            return Labels.verdict(level);
        }

        boolean determined() {
            return !level.equals("error");
        }
    }

    /**
     * An area of the composite module.
     *
     * @param verdict null if areas do not have verdicts
     * @param grade null if it was not determined
     * @param score of 100; null if it was not determined
     * @param parts sorted by verdict and title
     */
    public record Area(
            String id,
            String title,
            @Nullable String verdict,
            @Nullable String grade,
            @Nullable Integer score,
            List<Part> parts) {

        /** The class of the colors of the grade. */
        public String tone() {
            return Labels.gradeTone(grade);
        }

        /** Whether a part was checked without verification of the certificate. */
        public boolean unverified() {
            return parts.stream().anyMatch(Part::unverified);
        }

        /** The parts with problems of their own. */
        public List<Part> expanded() {
            return parts.stream().filter(part -> !part.collapsed()).toList();
        }

        public List<Part> collapsed() {
            return parts.stream().filter(Part::collapsed).toList();
        }

        /** The number of parts with problems by verdict, for example "2 failed, 1 warning". */
        public String expandedCounts() {
            return counts(expanded());
        }

        /** The number of collapsed parts by verdict, for example "1 not determined, 5 passed". */
        public String collapsedCounts() {
            return counts(collapsed());
        }

        private static String counts(List<Part> parts) {
            return Stream.of(
                            count(parts, "fail", "failed", "failed"),
                            count(parts, "warn", "warning", "warnings"),
                            count(parts, "error", "not determined", "not determined"),
                            count(parts, "pass", "passed", "passed"))
                    .filter(text -> !text.isEmpty())
                    .collect(Collectors.joining(", "));
        }

        private static String count(List<Part> parts, String level, String one, String more) {
            long count =
                    parts.stream().filter(part -> part.verdict.equals(level)).count();
            return count == 0 ? "" : count + " " + (count == 1 ? one : more);
        }
    }

    /**
     * The result of a part.
     *
     * @param text the headline, the most severe finding or the error; empty for none
     * @param path of its own report; null if the part does not have a target
     * @param unverified whether the part was checked without verification of the certificate
     * @param affected whether its problems are those of other parts, which list it
     */
    public record Part(
            String title, String verdict, String text, @Nullable String path, boolean unverified, boolean affected) {
        public String verdictLabel() {
            return Labels.verdict(verdict);
        }

        /** Passed parts have no problem; the others are listed with the problem that affects them. */
        boolean collapsed() {
            return verdict.equals("pass") || verdict.equals("error") || unverified || affected;
        }
    }
}
