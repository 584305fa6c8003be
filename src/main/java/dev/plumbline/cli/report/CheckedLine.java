package dev.plumbline.cli.report;

import dev.plumbline.policy.PolicySummary;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.LimitWait;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of one input line.
 *
 * @param index position in the input, from 0
 * @param input the target as given
 * @param limitWait the wait for limits of targets
 * @param refused whether the target is not valid or not allowed, so that it was not checked
 * @param policy how many rules and expectations the result meets; null without a policy and expectations
 */
public record CheckedLine(
        long index,
        String input,
        CheckResult result,
        LimitWait limitWait,
        boolean refused,
        @Nullable PolicySummary policy) {
    /** A line that is not evaluated with a policy. */
    public CheckedLine(long index, String input, CheckResult result, LimitWait limitWait, boolean refused) {
        this(index, input, result, limitWait, refused, null);
    }

    /** The same line with the result of an evaluation. */
    public CheckedLine with(CheckResult evaluated, PolicySummary summary) {
        return new CheckedLine(index, input, evaluated, limitWait, refused, summary);
    }

    /** The normalized target; the input if it is not a valid target. */
    String target() {
        return result.target() == null ? input : result.target();
    }

    /** The error, otherwise the most severe finding above {@code info}, in one line; empty if there is none. */
    String reason() {
        if (result.error() != null) {
            return result.error().code().id() + ": " + result.error().message();
        }
        return problem().map(Finding::message).orElse("");
    }

    /** The most severe finding above {@code info}. */
    Optional<Finding> problem() {
        return Optional.ofNullable(result.topFinding()).filter(finding -> finding.level() != Level.INFO);
    }
}
