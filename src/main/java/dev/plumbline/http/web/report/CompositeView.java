package dev.plumbline.http.web.report;

import dev.plumbline.http.web.layout.Labels;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the report of a composite module.
 *
 * @param areas without those that do not have parts
 */
public record CompositeView(List<Area> areas) {

    /** Whether the areas have scores of their own. */
    public boolean scored() {
        return areas.size() > 1 && areas.stream().anyMatch(area -> area.verdict != null);
    }

    /**
     * An area of the composite module.
     *
     * @param verdict null if areas do not have verdicts
     * @param grade null if it was not determined
     * @param score of 100; null if it was not determined
     */
    public record Area(
            String id,
            String title,
            @Nullable String verdict,
            @Nullable String grade,
            @Nullable Integer score,
            List<Part> parts) {

        /** The number of parts by verdict, for example "2 failed, 1 warning, 5 passed". */
        public String counts() {
            return Stream.of(
                            count("fail", "failed", "failed"),
                            count("warn", "warning", "warnings"),
                            count("error", "error", "errors"),
                            count("pass", "passed", "passed"))
                    .filter(text -> !text.isEmpty())
                    .collect(Collectors.joining(", "));
        }

        private String count(String level, String one, String more) {
            long count =
                    parts.stream().filter(part -> part.verdict.equals(level)).count();
            return count == 0 ? "" : count + " " + (count == 1 ? one : more);
        }
    }

    /**
     * The result of a part.
     *
     * @param message the most severe finding, the error or the headline; empty for none
     * @param action the recommended change; empty for none
     * @param path of its own report; null if the part does not have a target
     */
    public record Part(String title, String verdict, String message, String action, @Nullable String path) {
        public String verdictLabel() {
            return Labels.verdict(verdict);
        }
    }
}
