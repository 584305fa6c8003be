package dev.plumbline.check;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The one-word outcome of a check. */
public enum Verdict {
    PASS,
    WARN,
    FAIL,
    ERROR;

    /** The name used in answers, for example {@code pass}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The verdict that follows from what was found: the worst level among the findings, or, where the
     * exchange did not complete, {@code FAIL} for a fault of the target that the module is there to
     * notice and {@code ERROR} for everything that leaves the question open.
     *
     * @param error null when the exchange completed
     * @param reachability whether the module is about reaching the target at all
     */
    public static Verdict of(List<Finding> findings, @Nullable CheckError error, boolean reachability) {
        Verdict worst = worst(findings);
        if (error == null) {
            return worst;
        }
        boolean noticed =
                reachability ? error.code().targetFault() : error.code().answered() && worst == FAIL;
        return noticed ? FAIL : ERROR;
    }

    private static Verdict worst(List<Finding> findings) {
        Verdict worst = PASS;
        for (Finding finding : findings) {
            if (finding.level() == Level.FAIL) {
                return FAIL;
            }
            if (finding.level() == Level.WARN) {
                worst = WARN;
            }
        }
        return worst;
    }
}
