package dev.plumbline.check;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one check.
 *
 * @param target the normalised target; null where a line of a job is no target
 * @param fields every declared field of the module, in the declared order
 * @param truncated paths of arrays and strings that were cut to keep the result within its limit
 * @param error null when the exchange completed
 * @param checkedAt when the check began, whole milliseconds
 */
public record CheckResult(
        String module,
        @Nullable String target,
        Verdict verdict,
        Map<String, @Nullable Object> fields,
        List<Finding> findings,
        List<String> truncated,
        @Nullable CheckError error,
        Instant checkedAt,
        long durationMs) {

    /** Whether the next caller may be given this result. */
    public boolean cacheable() {
        return error == null || error.code().cacheable();
    }
}
