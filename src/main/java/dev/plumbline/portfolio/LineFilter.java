package dev.plumbline.portfolio;

import dev.plumbline.result.Verdict;
import dev.plumbline.target.LowerCaseId;
import dev.plumbline.target.PrintableText;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Selects lines. A line matches if each condition that is not empty matches.
 *
 * @param verdicts the IDs of verdicts; a line without a result does not match
 * @param findings codes of findings or errors, or {@code PART/CODE} for those of one part of a composite
 * @param text a part of the input or of the target, without regard to case
 */
public record LineFilter(Set<String> verdicts, Set<String> findings, String text) {
    /** All lines. */
    public static final LineFilter NONE = new LineFilter(Set.of(), Set.of(), "");

    private static final Pattern FINDING = Pattern.compile("([a-z0-9-]+/)?[a-z0-9_]+");
    private static final int MAX_SHOWN = 64;

    /**
     * @throws IllegalArgumentException if a verdict does not exist, or if a finding does not have the form of a code
     */
    public LineFilter {
        verdicts.forEach(verdict -> require(validateVerdict(verdict)));
        findings.forEach(finding -> require(validateFinding(finding)));
        verdicts = Set.copyOf(verdicts);
        findings = Set.copyOf(findings);
        text = text.toLowerCase(Locale.ROOT);
    }

    private static void require(@Nullable String fault) {
        if (fault != null) {
            throw new IllegalArgumentException(fault);
        }
    }

    /** Returns why a text is not a verdict; null if it is one. */
    public static @Nullable String validateVerdict(String text) {
        return LowerCaseId.find(Verdict.values(), text) == null
                ? "'" + PrintableText.shorten(text, MAX_SHOWN) + "' is not a verdict. Use pass, warn, fail or error."
                : null;
    }

    /** Returns why a text does not have the form of the code of a finding; null if it has. */
    public static @Nullable String validateFinding(String text) {
        return FINDING.matcher(text).matches()
                ? null
                : "'" + PrintableText.shorten(text, MAX_SHOWN)
                        + "' is not a valid finding code. Use CODE or PART/CODE, for example status_client_error or"
                        + " hsts/hsts_short.";
    }

    public boolean matches(PortfolioLine line) {
        return matches(line, line::codes);
    }

    /**
     * As {@link #matches(PortfolioLine)}, for a line that does not have all fields.
     *
     * @param codes returns the {@link PortfolioLine#codes} of the complete line
     */
    public boolean matches(PortfolioLine line, Supplier<Set<String>> codes) {
        return matchesVerdict(line)
                && (findings.isEmpty() || !Collections.disjoint(codes.get(), findings))
                && matchesText(line);
    }

    private boolean matchesVerdict(PortfolioLine line) {
        Verdict verdict = line.verdict();
        return verdicts.isEmpty() || (verdict != null && verdicts.contains(verdict.id()));
    }

    private boolean matchesText(PortfolioLine line) {
        String target = line.target();
        return text.isEmpty()
                || line.input().toLowerCase(Locale.ROOT).contains(text)
                || (target != null && target.toLowerCase(Locale.ROOT).contains(text));
    }
}
