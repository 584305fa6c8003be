package dev.plumbline.cli.report;

import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.LimitWait;
import java.util.Optional;

/**
 * The result of one input line.
 *
 * @param index position in the input, from 0
 * @param input the target as given
 * @param limitWait the wait for limits of targets
 * @param refused whether the target is not valid or not allowed, so that it was not checked
 */
public record CheckedLine(long index, String input, CheckResult result, LimitWait limitWait, boolean refused) {
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
