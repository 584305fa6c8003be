package dev.plumbline.http.web.report;

import dev.plumbline.http.web.layout.Labels;
import java.util.List;
import java.util.Locale;
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

        public String verdictLabel() {
            return verdict == null ? "" : Labels.verdict(verdict);
        }

        /** The number of parts by verdict, for example "2 fail, 1 warning, 5 pass". */
        public String counts() {
            StringBuilder out = new StringBuilder();
            for (String level : List.of("fail", "warn", "error", "pass")) {
                long count = parts.stream()
                        .filter(part -> part.verdict.equals(level))
                        .count();
                if (count > 0) {
                    out.append(out.isEmpty() ? "" : ", ")
                            .append(count)
                            .append(' ')
                            .append(Labels.verdict(level).toLowerCase(Locale.ROOT));
                }
            }
            return out.toString();
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
