package dev.plumbline.http.web.job;

import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.Labels;
import dev.plumbline.portfolio.PortfolioSummary.Occurrence;
import dev.plumbline.result.Level;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A finding with the number of lines that have it.
 *
 * @param path the code, or {@code PART/CODE} for a finding of a part of a composite
 * @param title the path if no sheet, policy or expectation declares the title
 * @param part the title of the part; null if the finding is not about a part
 */
public record FindingCount(String path, Level level, String title, @Nullable String part, long count) {

    /**
     * @param titles of the parts, by module
     * @param evaluation that was applied to the results; null for none
     */
    static FindingCount of(Occurrence found, Map<String, String> titles, @Nullable ResultEvaluation evaluation) {
        String part = found.part();
        String path = part == null ? found.code() : part + '/' + found.code();
        String title = found.title();
        if (title == null && part == null && evaluation != null) {
            title = evaluation.title(found.code());
        }
        return new FindingCount(
                path,
                found.level() == null ? Level.INFO : found.level(),
                title == null ? path : title,
                part == null ? null : titles.getOrDefault(part, part),
                found.count());
    }

    public String levelLabel() {
        return Labels.level(level.id());
    }

    /** The text of an option of a form. */
    public String label() {
        String name = (part == null ? "" : part + ": ") + title;
        return levelLabel() + ": " + DisplayText.markdown(name).line() + " (" + count + ')';
    }
}
