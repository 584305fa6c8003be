package dev.plumbline.http.web.job;

import dev.plumbline.check.CompositePart;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.portfolio.LineFilter;
import dev.plumbline.portfolio.PortfolioSummary;
import dev.plumbline.portfolio.PortfolioSummary.Occurrence;
import dev.plumbline.sheet.ModuleDescription;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The findings and errors in the results of a job.
 *
 * @param findings the most severe level first, then the most lines
 * @param errors the most lines first
 */
public record ResultFindings(List<FindingCount> findings, List<Occurrence> errors) {
    private static final int MAX_EXPANDED = 8;

    static final ResultFindings NONE = new ResultFindings(List.of(), List.of());

    /** @param evaluation that was applied to the results; null for none */
    static ResultFindings of(
            List<ResultRow> rows,
            ModuleDescription module,
            List<CompositePart> parts,
            @Nullable ResultEvaluation evaluation) {
        Map<String, String> titles = new HashMap<>();
        parts.forEach(part -> titles.put(part.module().module(), part.module().title()));
        PortfolioSummary summary = new PortfolioSummary(
                module, parts.stream().map(CompositePart::module).toList(), LineFilter.NONE);
        rows.forEach(row -> summary.add(row.line()));
        return new ResultFindings(
                summary.findings().stream()
                        .map(found -> FindingCount.of(found, titles, evaluation))
                        .toList(),
                summary.errors());
    }

    public boolean isEmpty() {
        return findings.isEmpty() && errors.isEmpty();
    }

    /** The findings that are always visible. */
    public List<FindingCount> expanded() {
        return findings.subList(0, Math.min(findings.size(), MAX_EXPANDED));
    }

    /** The findings that are visible on request. */
    public List<FindingCount> collapsed() {
        return findings.subList(Math.min(findings.size(), MAX_EXPANDED), findings.size());
    }
}
