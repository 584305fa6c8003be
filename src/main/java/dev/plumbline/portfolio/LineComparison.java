package dev.plumbline.portfolio;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import com.google.common.collect.Sets;
import dev.plumbline.portfolio.LineChange.FieldChange;
import dev.plumbline.portfolio.LineChange.Kind;
import dev.plumbline.portfolio.LineChange.RulesChange;
import dev.plumbline.portfolio.PortfolioLine.LineFinding;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FieldChanges;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.OptionDescription;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.TargetParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares two results of a target.
 *
 * @param module the module of both results
 * @param withVolatile whether to list volatile fields, too. They never cause a change.
 */
public record LineComparison(ModuleDescription module, boolean withVolatile) {
    private static final Level[] MOST_SEVERE_FIRST = {Level.FAIL, Level.WARN, Level.INFO};

    /** The target by which lines are matched: of a line without a result, the normalized input. */
    public String target(PortfolioLine line) {
        if (line.target() != null) {
            return line.target();
        }
        try {
            return TargetParser.parse(module, line.input()).text();
        } catch (InvalidTargetException invalid) {
            return line.input();
        }
    }

    /**
     * Returns the change between two lines with the same target.
     *
     * <p>Null in a result with an error means that the value was not determined, and is not a change. Neither is a
     * field that only one of the results contains, see {@link #notCompared}, nor another error of this service. Parts
     * of a composite that both results did not determine are not compared. If only one did not determine a part, the
     * lines are not comparable: only the findings of the other parts can make the line worse or better.
     */
    public LineChange compare(PortfolioLine before, PortfolioLine after) {
        boolean determined = before.hasResult() && after.hasResult() && isError(before) == isError(after);
        boolean byPart = !before.hasResult() || !after.hasResult() || before.hasCauses() == after.hasCauses();
        boolean withCauses = before.hasCauses() && after.hasCauses();
        Set<String> undetermined = withCauses
                ? Sets.union(before.undeterminedParts(), after.undeterminedParts())
                        .immutableCopy()
                : Set.of();
        boolean sameParts = withCauses
                ? before.undeterminedParts().equals(after.undeterminedParts())
                : partErrors(before) == partErrors(after);
        List<LineFinding> findings = byPart ? after.findings() : after.findingsOfComposite();
        List<LineFinding> earlierFindings = byPart ? before.findings() : before.findingsOfComposite();
        findings = compared(findings, undetermined, sameParts);
        earlierFindings = compared(earlierFindings, undetermined, sameParts);
        List<LineFinding> added = difference(findings, earlierFindings);
        List<LineFinding> removed = difference(earlierFindings, findings);
        List<FieldChange> fieldsChanged = List.of();
        List<FieldChange> fields = List.of();
        if (sameParts) {
            Map<String, @Nullable Object> values = after.fieldsWithout(undetermined);
            Map<String, @Nullable Object> earlierValues = before.fieldsWithout(undetermined);
            fieldsChanged = determined(FieldChanges.between(module.fields(), earlierValues, values), before, after);
            fields = withVolatile
                    ? determined(
                            FieldChanges.withVolatileBetween(module.fields(), earlierValues, values), before, after)
                    : fieldsChanged;
        }
        boolean comparable = determined && sameParts;
        int severity = 0;
        if (comparable) {
            severity = Objects.requireNonNull(after.verdict()).compareTo(Objects.requireNonNull(before.verdict()));
        }
        if (severity == 0 && determined && (sameParts || withCauses)) {
            severity = compareLevels(findings, earlierFindings);
        }
        boolean changed = !comparable
                || before.verdict() != after.verdict()
                || !fieldsChanged.isEmpty()
                || !added.isEmpty()
                || !removed.isEmpty()
                || !(Objects.equals(before.errorCode(), after.errorCode())
                        || (before.hasErrorOfService() && after.hasErrorOfService()));
        return new LineChange(
                target(after),
                severity > 0 ? Kind.WORSE : severity < 0 ? Kind.BETTER : changed ? Kind.CHANGED : Kind.UNCHANGED,
                after.index(),
                before.index(),
                after.verdict(),
                before.verdict(),
                added,
                removed,
                fields,
                after.rules(),
                before.rules(),
                rulesChanges(before, after),
                after.errorCode(),
                before.errorCode(),
                comparable);
    }

    private static long partErrors(PortfolioLine line) {
        return line.findings().stream().filter(LineFinding::isPartError).count();
    }

    /**
     * The findings that are compared.
     *
     * @param undetermined the parts that at least one of the results did not determine
     * @param sameParts whether both did not determine the same parts. Otherwise, the errors of the parts are listed.
     */
    private static List<LineFinding> compared(List<LineFinding> findings, Set<String> undetermined, boolean sameParts) {
        return findings.stream()
                .filter(finding -> finding.isPartError()
                        ? !sameParts
                        : finding.part() == null || !undetermined.contains(finding.part()))
                .toList();
    }

    /**
     * The names of the fields that only one of two results contains, for example because fields were selected. They are
     * not compared.
     */
    public List<String> notCompared(PortfolioLine before, PortfolioLine after) {
        if (!before.hasResult() || !after.hasResult()) {
            return List.of();
        }
        return module.fields().stream()
                .filter(field -> withVolatile || !field.isVolatile())
                .map(FieldDescription::name)
                .filter(name ->
                        before.fields().containsKey(name) != after.fields().containsKey(name))
                .toList();
    }

    /** The change of a target that only the later results contain. */
    public LineChange ofNew(PortfolioLine after) {
        return LineChange.ofNew(target(after), after);
    }

    /** The change of a target that only the earlier results contain. */
    public LineChange ofGone(PortfolioLine before) {
        return LineChange.ofGone(target(before), before);
    }

    /**
     * Returns the options of two jobs that differ, by name. Jobs contain only the options without their default value,
     * so the value of another one is its default: null if it does not have one.
     *
     * @param later the options of the later job
     * @param earlier the options of the earlier job
     */
    public List<FieldChange> optionsDiffer(Map<String, ?> later, Map<String, ?> earlier) {
        return Sets.union(later.keySet(), earlier.keySet()).stream()
                .sorted()
                .map(name -> new FieldChange(name, option(name, later), option(name, earlier)))
                .filter(option -> !Objects.equals(option.value(), option.againstValue()))
                .toList();
    }

    private @Nullable Object option(String name, Map<String, ?> options) {
        Object value = options.get(name);
        if (value == null) {
            OptionDescription declared = module.jobOption(name);
            return declared == null ? null : declared.defaultValue();
        }
        // defaults are of this type
        return value instanceof Integer number ? Long.valueOf(number) : value;
    }

    /** Rules that an earlier version of the program did not record are not compared. */
    private static List<RulesChange> rulesChanges(PortfolioLine before, PortfolioLine after) {
        List<RulesChange> changed = new ArrayList<>();
        Map<String, String> earlier = before.rulesByModule();
        after.rulesByModule().forEach((module, rules) -> {
            String against = earlier.getOrDefault(module, rules);
            if (!against.equals(rules)) {
                changed.add(new RulesChange(rules, against));
            }
        });
        return changed;
    }

    private static boolean isError(PortfolioLine line) {
        return line.verdict() == Verdict.ERROR;
    }

    private static List<FieldChange> determined(
            List<FieldDescription> fields, PortfolioLine before, PortfolioLine after) {
        return fields.stream()
                .filter(field -> isDetermined(field, before) && isDetermined(field, after))
                .map(field -> new FieldChange(
                        field.name(),
                        after.fields().get(field.name()),
                        before.fields().get(field.name())))
                .toList();
    }

    private static boolean isDetermined(FieldDescription field, PortfolioLine line) {
        Object value = line.fields().get(field.name());
        return value != null || (line.errorCode() == null && line.fields().containsKey(field.name()));
    }

    /** Compares the number of findings of each level, the most severe level first. Errors of parts do not count. */
    private static int compareLevels(List<LineFinding> findings, List<LineFinding> others) {
        for (Level level : MOST_SEVERE_FIRST) {
            int severity = Long.compare(count(findings, level), count(others, level));
            if (severity != 0) {
                return severity;
            }
        }
        return 0;
    }

    private static long count(List<LineFinding> findings, Level level) {
        return findings.stream()
                .filter(finding -> finding.level() == level && !finding.isPartError())
                .count();
    }

    /** The findings without those of the other line with the same part and code. */
    private static List<LineFinding> difference(List<LineFinding> findings, List<LineFinding> others) {
        if (findings.isEmpty()) {
            return List.of();
        }
        Multiset<String> paths = HashMultiset.create();
        others.forEach(other -> paths.add(other.path()));
        return findings.stream()
                .filter(finding -> !paths.remove(finding.path()))
                .toList();
    }
}
