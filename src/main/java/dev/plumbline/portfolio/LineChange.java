package dev.plumbline.portfolio;

import dev.plumbline.portfolio.PortfolioLine.LineFinding;
import dev.plumbline.result.Verdict;
import dev.plumbline.target.LowerCaseId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The difference between two results of a target.
 *
 * @param target the normalized target, or the input if it is not a valid target
 * @param index of the line of the later result; null if the target is gone
 * @param againstIndex of the line of the earlier result; null if the target is new
 * @param findingsAdded findings of the later result only, by part and code
 * @param findingsRemoved findings of the earlier result only, by part and code
 * @param fields the fields with another value, in declared order
 * @param rulesChanges the rules of the module, then those of its parts, that differ: they can be the cause of the
 *     change
 * @param comparable false if exactly one of the two lines has the verdict {@code error} or did not determine a part of
 *     a composite, or if one does not have a result; for a new target, false without a result
 */
public record LineChange(
        String target,
        Kind kind,
        @Nullable Long index,
        @Nullable Long againstIndex,
        @Nullable Verdict verdict,
        @Nullable Verdict againstVerdict,
        List<LineFinding> findingsAdded,
        List<LineFinding> findingsRemoved,
        List<FieldChange> fields,
        @Nullable String rules,
        @Nullable String againstRules,
        List<RulesChange> rulesChanges,
        @Nullable String errorCode,
        @Nullable String againstErrorCode,
        boolean comparable) {

    /** What happened to a target. */
    public enum Kind implements LowerCaseId {
        /** Only the later results contain the target. */
        NEW,
        /** Only the earlier results contain the target. */
        GONE,
        /** The verdict is more severe, or it is equal and the findings are more severe. */
        WORSE,
        /** The verdict is less severe, or it is equal and the findings are less severe. */
        BETTER,
        /** Other findings, another value of a field that is not volatile, or not comparable. */
        CHANGED,
        UNCHANGED
    }

    /** The later and the earlier value of a field or option. */
    public record FieldChange(String name, @Nullable Object value, @Nullable Object againstValue) {
        /** The members in a comparison of the API, in order. */
        public Map<String, @Nullable Object> toMap() {
            Map<String, @Nullable Object> change = new LinkedHashMap<>();
            change.put("name", name);
            change.put("value", value);
            change.put("against_value", againstValue);
            return change;
        }
    }

    /** The later and the earlier rules of a module, for example {@code hsts/3} and {@code hsts/2}. */
    public record RulesChange(String rules, String againstRules) {
        private Map<String, String> toMap() {
            Map<String, String> change = new LinkedHashMap<>();
            change.put("rules", rules);
            change.put("against_rules", againstRules);
            return change;
        }
    }

    /** The earlier and the later rules that differ, for example {@code hsts/2 → hsts/3}; empty if none do. */
    public String rulesText() {
        return rulesChanges.stream()
                .map(change -> change.againstRules() + " → " + change.rules())
                .collect(Collectors.joining(", "));
    }

    /** Whether rules differ. */
    public boolean rulesChanged() {
        return !rulesChanges.isEmpty();
    }

    /** The members of the line in a comparison of the API, in order. */
    public Map<String, @Nullable Object> toMap() {
        Map<String, @Nullable Object> line = new LinkedHashMap<>();
        line.put("target", target);
        line.put("change", kind.id());
        line.put("index", index);
        line.put("against_index", againstIndex);
        line.put("verdict", verdict == null ? null : verdict.id());
        line.put("against_verdict", againstVerdict == null ? null : againstVerdict.id());
        line.put("findings_added", maps(findingsAdded));
        line.put("findings_removed", maps(findingsRemoved));
        line.put("fields", fields.stream().map(FieldChange::toMap).toList());
        line.put("rules", rules);
        line.put("against_rules", againstRules);
        line.put("rules_changed", rulesChanges.stream().map(RulesChange::toMap).toList());
        line.put("error_code", errorCode);
        line.put("against_error_code", againstErrorCode);
        return line;
    }

    private static List<Map<String, @Nullable Object>> maps(List<LineFinding> findings) {
        List<Map<String, @Nullable Object>> maps = new ArrayList<>();
        for (LineFinding finding : findings) {
            Map<String, @Nullable Object> map = new LinkedHashMap<>();
            map.put("part", finding.part());
            map.put("code", finding.code());
            map.put("level", finding.level().id());
            map.put("message", finding.message());
            maps.add(map);
        }
        return maps;
    }

    static LineChange ofNew(String target, PortfolioLine after) {
        return new LineChange(
                target,
                Kind.NEW,
                after.index(),
                null,
                after.verdict(),
                null,
                after.findings(),
                List.of(),
                List.of(),
                after.rules(),
                null,
                List.of(),
                after.errorCode(),
                null,
                after.hasResult());
    }

    static LineChange ofGone(String target, PortfolioLine before) {
        return new LineChange(
                target,
                Kind.GONE,
                null,
                before.index(),
                null,
                before.verdict(),
                List.of(),
                before.findings(),
                List.of(),
                null,
                before.rules(),
                List.of(),
                null,
                before.errorCode(),
                true);
    }
}
