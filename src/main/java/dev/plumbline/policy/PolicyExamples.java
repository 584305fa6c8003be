package dev.plumbline.policy;

import dev.plumbline.policy.Policy.Example;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Runs the examples of a policy. */
public final class PolicyExamples {
    private PolicyExamples() {}

    /**
     * Evaluates an example.
     *
     * @param module of the example
     * @return the differences from the expected result as a sentence; null if there are none
     */
    public static @Nullable String difference(Policy policy, Example example, ModuleDescription module) {
        CheckResult evaluated = evaluated(policy, example, module);
        List<String> found = evaluated.findings().stream()
                .filter(finding -> finding.level() != Level.INFO)
                .map(Finding::code)
                .toList();
        if (evaluated.verdict() != example.expectedVerdict()) {
            return "The verdict is " + evaluated.verdict().id() + ", not "
                    + example.expectedVerdict().id() + ". The findings are " + list(found) + ".";
        }
        return new TreeSet<>(found).equals(new TreeSet<>(example.expectedFindings()))
                ? null
                : "The findings are " + list(found) + ", not " + list(example.expectedFindings()) + ".";
    }

    /** The result of an example with the findings of the policy. */
    static CheckResult evaluated(Policy policy, Example example, ModuleDescription module) {
        return new PolicyEvaluation(module, policy, List.of(), example.date())
                .apply(result(example, module))
                .result();
    }

    private static String list(List<String> codes) {
        return codes.isEmpty() ? "empty" : String.join(", ", new TreeSet<>(codes));
    }

    private static CheckResult result(Example example, ModuleDescription module) {
        List<Finding> findings =
                example.findings().stream().map(code -> finding(module, code)).toList();
        CheckError error =
                example.error() == null ? null : new CheckError(example.error(), "The check did not complete.");
        return new CheckResult(
                module.module(),
                module.rules(),
                example.target(),
                Verdict.of(findings, error, module.reachability()),
                example.fields(),
                findings,
                List.of(),
                error,
                example.date().atStartOfDay().toInstant(ZoneOffset.UTC),
                0);
    }

    private static Finding finding(ModuleDescription module, String code) {
        FindingCode declared = Objects.requireNonNull(module.finding(code));
        return new Finding(declared.level(), code, declared.field(), declared.title() + ".", declared.action(), null);
    }
}
