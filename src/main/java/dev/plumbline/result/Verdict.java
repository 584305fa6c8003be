package dev.plumbline.result;

import dev.plumbline.target.LowerCaseId;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcome of a check. */
public enum Verdict implements LowerCaseId {
    PASS,
    WARN,
    FAIL,
    ERROR;

    /**
     * Returns the most severe level of the findings. If the exchange did not complete, returns {@code FAIL} for an
     * error of the target that the module tests for, otherwise {@code ERROR}.
     *
     * @param error null if the exchange completed
     * @param reachability whether the module tests reachability
     */
    public static Verdict of(List<Finding> findings, @Nullable CheckError error, boolean reachability) {
        Verdict worst = worst(findings);
        if (error == null) {
            return worst;
        }
        boolean failed =
                reachability ? error.code().targetFault() : error.code().answered() && worst == FAIL;
        return failed ? FAIL : ERROR;
    }

    private static Verdict worst(List<Finding> findings) {
        Level worst = findings.stream()
                .map(Finding::level)
                .max(Comparator.naturalOrder())
                .orElse(Level.INFO);
        return worst == Level.INFO ? PASS : valueOf(worst.name());
    }
}
