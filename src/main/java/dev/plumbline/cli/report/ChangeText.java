package dev.plumbline.cli.report;

import com.google.common.base.Strings;
import dev.plumbline.portfolio.ChangeCounts;
import dev.plumbline.portfolio.ChangeJson;
import dev.plumbline.portfolio.ChangeReport;
import dev.plumbline.portfolio.LineChange;
import dev.plumbline.portfolio.LineChange.FieldChange;
import dev.plumbline.portfolio.LineChange.Kind;
import dev.plumbline.portfolio.PortfolioLine.LineFinding;
import dev.plumbline.result.Verdict;
import dev.plumbline.target.PrintableText;
import dev.plumbline.target.UnicodeName;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Changes for a terminal: one line per target, with its findings and fields below, and the counts at the end. */
final class ChangeText implements ChangeReport {
    private static final int KIND_WIDTH = 10;
    private static final int LEVEL_WIDTH = 5;
    private static final int MAX_VALUE_LENGTH = 60;
    private static final String INDENT = " ".repeat(KIND_WIDTH);

    private final Compared compared;
    private final Writer out;
    private boolean begun;

    ChangeText(Compared compared, Writer out) {
        this.compared = compared;
        this.out = out;
    }

    @Override
    public void line(LineChange change) throws IOException {
        begun = true;
        out.write(Strings.padEnd(change.kind().id().toUpperCase(Locale.ROOT), KIND_WIDTH, ' ')
                + TerminalText.sanitize(UnicodeName.of(change.target()).toString())
                + "  "
                + outcome(change)
                + "\n");
        if (change.kind() == Kind.GONE) {
            return;
        }
        for (LineFinding finding : change.findingsAdded()) {
            finding("+ ", finding);
        }
        for (LineFinding finding : change.findingsRemoved()) {
            finding("- ", finding);
        }
        for (FieldChange field : change.fields()) {
            String before = value(field.againstValue());
            String after = value(field.value());
            // the beginnings of long values are often equal
            detail(before.equals(after) ? field.name() + ": changed" : field.name() + ": " + before + " → " + after);
        }
        if (change.rulesChanged()) {
            detail("Rules version changed: " + change.rulesText());
        }
    }

    private static String outcome(LineChange change) {
        String before = outcome(change.againstVerdict(), change.againstErrorCode());
        String after = outcome(change.verdict(), change.errorCode());
        return change.kind() == Kind.NEW || before.equals(after)
                ? after
                : change.kind() == Kind.GONE ? before : before + " → " + after;
    }

    private static String outcome(@Nullable Verdict verdict, @Nullable String error) {
        String text = verdict == null ? "not checked" : verdict.id();
        return error == null ? text : text + " (" + TerminalText.sanitize(error) + ")";
    }

    private void finding(String sign, LineFinding finding) throws IOException {
        detail(sign
                + Strings.padEnd(finding.level().id(), LEVEL_WIDTH, ' ')
                + finding.path()
                + (finding.message().isEmpty() ? "" : ": " + finding.message()));
    }

    private void detail(String text) throws IOException {
        out.write(INDENT + TerminalText.sanitize(text) + "\n");
    }

    private static String value(@Nullable Object value) throws IOException {
        return PrintableText.shorten(ChangeJson.text(value), MAX_VALUE_LENGTH);
    }

    @Override
    public void end(ChangeCounts counts, @Nullable String nextCursor) throws IOException {
        out.write((begun ? "\n" : "") + counts + "\n");
        if (counts.incomparable() > 0) {
            out.write(String.format(
                    Locale.ROOT,
                    "%,d %s could not be compared, because a check was not completed.%n",
                    counts.incomparable(),
                    counts.incomparable() == 1 ? "target" : "targets"));
        }
        List<String> options = new ArrayList<>();
        for (FieldChange option : Objects.requireNonNullElse(compared.optionsDiffer(), List.<FieldChange>of())) {
            options.add("%s %s → %s".formatted(option.name(), value(option.againstValue()), value(option.value())));
        }
        if (!options.isEmpty()) {
            out.write(TerminalText.sanitize("The options of the jobs differ: " + String.join(", ", options)) + "\n");
        }
    }
}
