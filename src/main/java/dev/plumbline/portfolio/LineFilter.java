package dev.plumbline.portfolio;

import dev.plumbline.portfolio.PortfolioLine.LineFinding;
import dev.plumbline.result.Verdict;
import dev.plumbline.target.LowerCaseId;
import java.util.Locale;
import java.util.Set;

/**
 * Selects lines. A line matches if each condition that is not empty matches.
 *
 * @param verdicts the IDs of verdicts; a line without a result does not match
 * @param findings codes, or {@code PART/CODE} for those of one part of a composite
 * @param text a part of the input or of the target, without regard to case
 */
public record LineFilter(Set<String> verdicts, Set<String> findings, String text) {
    /** All lines. */
    public static final LineFilter NONE = new LineFilter(Set.of(), Set.of(), "");

    /** @throws IllegalArgumentException if a verdict does not exist */
    public LineFilter {
        for (String verdict : verdicts) {
            if (LowerCaseId.find(Verdict.values(), verdict) == null) {
                throw new IllegalArgumentException(
                        "Unknown verdict '" + verdict + "'. Verdicts: pass, warn, fail, error.");
            }
        }
        verdicts = Set.copyOf(verdicts);
        findings = Set.copyOf(findings);
        text = text.toLowerCase(Locale.ROOT);
    }

    public boolean matches(PortfolioLine line) {
        return matchesVerdict(line) && matchesFinding(line) && matchesText(line);
    }

    private boolean matchesVerdict(PortfolioLine line) {
        Verdict verdict = line.verdict();
        return verdicts.isEmpty() || (verdict != null && verdicts.contains(verdict.id()));
    }

    private boolean matchesFinding(PortfolioLine line) {
        return findings.isEmpty() || line.findings().stream().anyMatch(this::isSelected);
    }

    /** A problem of a part also has the code with which the composite reports it, for example {@code part_fail}. */
    private boolean isSelected(LineFinding finding) {
        return findings.contains(finding.code())
                || findings.contains(finding.path())
                || (finding.part() != null && findings.contains(LineFinding.compositeCode(finding.level())));
    }

    private boolean matchesText(PortfolioLine line) {
        String target = line.target();
        return text.isEmpty()
                || line.input().toLowerCase(Locale.ROOT).contains(text)
                || (target != null && target.toLowerCase(Locale.ROOT).contains(text));
    }
}
