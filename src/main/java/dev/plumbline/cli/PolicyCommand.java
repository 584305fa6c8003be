package dev.plumbline.cli;

import dev.plumbline.policy.Policy;
import dev.plumbline.policy.PolicyExamples;
import dev.plumbline.target.ExceptionMessage;
import java.util.Locale;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code plumbline policy}: validates policies. */
@Command(
        name = "policy",
        description = "Validates policies.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nExit codes:%n",
        footer = {"  0  success", "  1  an example does not have the expected result", "  4  invalid policy or usage"})
public final class PolicyCommand {
    private static final int EXAMPLE_FAILED = 1;

    @Command(name = "test", description = "Validates a policy and runs its examples.", mixinStandardHelpOptions = true)
    int test(
            @Parameters(paramLabel = "FILE", description = "File with a policy, or the name of a built-in policy.")
                    String file) {
        PolicyFile files = new PolicyFile();
        Policy policy;
        try {
            policy = files.read(file);
        } catch (CommandException invalid) {
            return StandardError.fail(CheckCommand.INVALID, ExceptionMessage.of(invalid));
        }
        int passed = 0;
        for (Policy.Example example : policy.examples()) {
            String difference =
                    PolicyExamples.difference(policy, example, Objects.requireNonNull(files.module(example.module())));
            if (difference == null) {
                passed++;
            } else {
                StandardError.println(file + ":" + example.line() + ": " + example.title() + ": " + difference);
            }
        }
        System.out.println(String.format(
                Locale.ROOT,
                "%s %s: %d rules for %s, %d of %d examples passed",
                policy.name(),
                policy.version(),
                policy.ruleCount(),
                String.join(", ", policy.modules().keySet()),
                passed,
                policy.examples().size()));
        return passed < policy.examples().size() ? EXAMPLE_FAILED : 0;
    }
}
