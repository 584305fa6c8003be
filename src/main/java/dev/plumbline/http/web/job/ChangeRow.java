package dev.plumbline.http.web.job;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.Labels;
import dev.plumbline.portfolio.LineChange;
import dev.plumbline.portfolio.LineChange.FieldChange;
import dev.plumbline.portfolio.LineChange.Kind;
import dev.plumbline.portfolio.PortfolioLine.LineFinding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.PrintableText;
import dev.plumbline.target.UnicodeName;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A line of the comparison of two jobs.
 *
 * @param index of the line of the later job; null if the target is gone
 * @param againstIndex of the line of the earlier job; null if the target is new
 * @param before null if the target is new
 * @param after null if the target is gone
 * @param findings those that were added, then those that were removed
 * @param rules how the rules of the module and its parts changed; null if they did not
 */
public record ChangeRow(
        Kind kind,
        UnicodeName target,
        @Nullable Long index,
        @Nullable Long againstIndex,
        @Nullable Outcome before,
        @Nullable Outcome after,
        List<FindingChange> findings,
        List<ValueChange> values,
        @Nullable String rules) {
    private static final int MAX_MESSAGE_LENGTH = 300;

    /** Fields whose content is listed as findings. */
    private static final Set<String> FINDING_FIELDS = Set.of("causes", "fix_first");

    /**
     * A verdict.
     *
     * @param verdict the ID; null without a result
     * @param error null without an error
     */
    public record Outcome(@Nullable String verdict, @Nullable String error) {
        static Outcome of(@Nullable Verdict verdict, @Nullable String error) {
            return new Outcome(verdict == null ? null : verdict.id(), error);
        }

        public String label() {
            return verdict == null ? "No result" : Labels.verdict(verdict);
        }
    }

    /**
     * @param added whether only the later result has the finding
     * @param text the message, or the title if there is none
     */
    public record FindingChange(boolean added, String level, DisplayText text, String path) {
        public String label() {
            return (added ? "Added: " : "Removed: ") + Labels.level(level);
        }
    }

    static ChangeRow of(LineChange change, ModuleDescription module, ModuleCatalogue modules, boolean withVolatile) {
        Kind kind = change.kind();
        List<FindingChange> findings = new ArrayList<>();
        change.findingsAdded().forEach(finding -> findings.add(finding(finding, true, module, modules)));
        change.findingsRemoved().forEach(finding -> findings.add(finding(finding, false, module, modules)));
        return new ChangeRow(
                kind,
                UnicodeName.of(change.target()),
                change.index(),
                change.againstIndex(),
                kind == Kind.NEW ? null : Outcome.of(change.againstVerdict(), change.againstErrorCode()),
                kind == Kind.GONE ? null : Outcome.of(change.verdict(), change.errorCode()),
                findings,
                values(change.fields(), module, withVolatile),
                change.rulesChanged() ? change.rulesText() : null);
    }

    private static FindingChange finding(
            LineFinding finding, boolean added, ModuleDescription module, ModuleCatalogue modules) {
        String text = finding.message();
        if (text.isEmpty()) {
            ModuleDefinition<?> part = finding.part() == null ? null : modules.find(finding.part());
            ModuleDescription declaring = finding.part() == null || part == null ? module : part.description();
            FindingCode declared = declaring.finding(finding.code());
            text = declared == null ? finding.code() : declared.title();
        }
        return new FindingChange(
                added,
                finding.level().id(),
                DisplayText.markdown(PrintableText.shorten(text, MAX_MESSAGE_LENGTH)),
                finding.path());
    }

    private static List<ValueChange> values(List<FieldChange> fields, ModuleDescription module, boolean withVolatile) {
        List<ValueChange> values = new ArrayList<>();
        for (FieldChange change : fields) {
            for (FieldDescription field : module.fields()) {
                if (field.name().equals(change.name()) && !FINDING_FIELDS.contains(field.name())) {
                    values.addAll(ValueChange.of(field, change.againstValue(), change.value(), withVolatile));
                }
            }
        }
        return values;
    }

    public String label() {
        return label(kind);
    }

    static String label(Kind kind) {
        return switch (kind) {
            case NEW -> "New";
            case GONE -> "Gone";
            case WORSE -> "Worse";
            case BETTER -> "Better";
            case CHANGED -> "Changed";
            case UNCHANGED -> "Unchanged";
        };
    }

    /** The class of the color. */
    public String tone() {
        return switch (kind) {
            case WORSE -> "fail";
            case BETTER -> "pass";
            case CHANGED -> "warn";
            case NEW -> "info";
            case GONE, UNCHANGED -> "unfinished";
        };
    }
}
