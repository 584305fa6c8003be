package dev.plumbline.cli;

import dev.plumbline.policy.Expectation;
import dev.plumbline.policy.ExpressionPrograms;
import dev.plumbline.policy.InvalidExpressionException;
import dev.plumbline.policy.Policy;
import dev.plumbline.policy.PolicyEvaluation;
import dev.plumbline.sheet.ModuleDescription;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that evaluate results with a policy and expectations. */
final class PolicyOptions {
    @Option(
            names = "--policy",
            paramLabel = "FILE|NAME",
            description = "Policy to apply to the results: a file, or a built-in policy, for example"
                    + " mozilla-intermediate.")
    private @Nullable String policy;

    @Option(
            names = "--expect",
            paramLabel = "EXPRESSION",
            description = "Condition that each result must meet, for example 'status == 200'. Can be repeated.")
    private List<String> expectations = new ArrayList<>();

    boolean isEmpty() {
        return policy == null && expectations.isEmpty();
    }

    /**
     * Reads the policy and compiles the expectations.
     *
     * @return null without options
     * @throws CommandException if the policy or an expectation is not valid for the module
     */
    @Nullable
    PolicyEvaluation evaluation(ModuleDescription module) throws CommandException {
        if (isEmpty()) {
            return null;
        }
        if (expectations.size() > PolicyEvaluation.MAX_EXPECTATIONS) {
            throw new CommandException("%d expectations are given; at most %d are allowed."
                    .formatted(expectations.size(), PolicyEvaluation.MAX_EXPECTATIONS));
        }
        Policy read = policy == null ? null : new PolicyFile().read(policy);
        if (read != null && !read.appliesTo(module)) {
            throw new CommandException("The policy '%s' does not apply to %s. Its modules: %s."
                    .formatted(
                            read.name(),
                            module.module(),
                            String.join(", ", read.modules().keySet())));
        }
        ExpressionPrograms programs = new ExpressionPrograms();
        List<Expectation> compiled = new ArrayList<>();
        for (String text : expectations) {
            try {
                compiled.add(programs.get(module, text));
            } catch (InvalidExpressionException invalid) {
                throw new CommandException("Invalid expectation '%s': %s".formatted(text, invalid.getMessage()));
            }
        }
        return new PolicyEvaluation(module, read, compiled, LocalDate.now(ZoneOffset.UTC));
    }
}
