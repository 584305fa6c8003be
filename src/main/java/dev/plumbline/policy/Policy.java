package dev.plumbline.policy;

import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.ModuleDescription;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A set of rules for the results of one or more modules. {@code src/docs/policies.md} describes the file format.
 *
 * @param name for example {@code mozilla-intermediate}
 * @param version of the policy, for example {@code 5.8}
 * @param modules what applies to the results of a module, by its name
 */
public record Policy(
        String name,
        String title,
        String version,
        Source source,
        Map<String, ModulePolicy> modules,
        List<Exemption> exceptions,
        List<Example> examples) {

    /**
     * The document from which the rules are derived.
     *
     * @param url null if the document is not public
     */
    public record Source(String title, @Nullable String url, LocalDate date) {}

    /** @param levels the levels of findings of the module, by code, instead of those that its sheet declares */
    public record ModulePolicy(List<Rule> rules, Map<String, Level> levels) {}

    /**
     * A rule.
     *
     * @param id snake_case; the code of the finding about a result that does not meet the rule
     * @param clause of the source, for example {@code tls_versions}
     * @param level of the finding
     * @param message the problem in a sentence; the values of the fields that the rule reads are added
     * @param action the fix as a command
     */
    public record Rule(
            String id, String title, String clause, Expectation expect, Level level, String message, String action) {}

    /**
     * A finding that is accepted for some targets until a date.
     *
     * @param target a hostname, {@code *.NAME} for the names below a name, or {@code *} for all targets
     * @param module null for all modules of the policy
     * @param finding the code of a finding, or the ID of a rule
     * @param expires the last day on which it applies, in UTC
     */
    public record Exemption(String target, @Nullable String module, String finding, String reason, LocalDate expires) {
        /** Whether it is about a finding of a result. */
        boolean matches(String module, String host, String code) {
            return finding.equals(code)
                    && (this.module == null || this.module.equals(module))
                    && (target.equals("*")
                            || target.equals(host)
                            || target.startsWith("*.") && host.endsWith(target.substring(1)));
        }
    }

    /**
     * A result and what the policy makes of it.
     *
     * @param line of the file, from 1
     * @param fields the values of some fields; the others are null
     * @param findings the codes of the findings of the module
     * @param error null if the check completed
     * @param date on which the policy is evaluated
     * @param expectedFindings the codes of the findings with the level {@code warn} or {@code fail}, in any order
     */
    public record Example(
            int line,
            String title,
            String module,
            String target,
            Map<String, @Nullable Object> fields,
            List<String> findings,
            @Nullable ErrorCode error,
            LocalDate date,
            Verdict expectedVerdict,
            List<String> expectedFindings) {}

    /** Whether it has rules or levels for results of a module, or rules for the parts of a composite. */
    public boolean appliesTo(ModuleDescription module) {
        return modules.containsKey(module.module())
                || !PartRules.of(this, module).isEmpty();
    }

    /** The number of rules of all modules. */
    public int ruleCount() {
        return modules.values().stream()
                .mapToInt(module -> module.rules().size())
                .sum();
    }
}
