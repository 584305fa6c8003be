package dev.plumbline.http.web.job;

import dev.plumbline.check.CompositePart;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.Labels;
import dev.plumbline.portfolio.LineFilter;
import dev.plumbline.portfolio.PortfolioSummary;
import dev.plumbline.portfolio.PortfolioSummary.Occurrence;
import dev.plumbline.result.Level;
import dev.plumbline.sheet.ModuleDescription;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A finding with the number of lines that have it.
 *
 * @param path the code, or {@code PART/CODE} for a finding of a part of a composite
 * @param title the path if no sheet declares the title
 * @param part the title of the part; null if the finding is not about a part
 */
public record FindingCount(String path, Level level, String title, @Nullable String part, long count) {

    /** The findings of the lines, the most severe level first, then the most lines. */
    static List<FindingCount> of(List<ResultRow> rows, ModuleDescription module, ModuleCatalogue modules) {
        Map<String, ModuleDescription> parts = new HashMap<>();
        for (CompositePart part : modules.parts(module.module())) {
            parts.put(part.module().module(), part.module());
        }
        PortfolioSummary summary = new PortfolioSummary(module, parts.values(), LineFilter.NONE);
        rows.forEach(row -> summary.add(row.line()));
        return summary.findings().stream().map(found -> of(found, parts)).toList();
    }

    private static FindingCount of(Occurrence found, Map<String, ModuleDescription> parts) {
        String part = found.part();
        String path = part == null ? found.code() : part + '/' + found.code();
        ModuleDescription declared = part == null ? null : parts.get(part);
        return new FindingCount(
                path,
                found.level() == null ? Level.INFO : found.level(),
                found.title() == null ? path : found.title(),
                declared == null ? part : declared.title(),
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

    /** The query string of the lines with this finding. */
    public String link() {
        return LineQuery.findingLink(path);
    }
}
