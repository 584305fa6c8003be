package dev.plumbline.result;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one check.
 *
 * @param rules the module and the version of its rules, for example {@code hsts/3}; null if an earlier version of the
 *     program, which did not record it, created the result
 * @param target the normalized target; null if the line of a job is not a valid target
 * @param fields all declared fields of the module, in declaration order
 * @param truncated the paths of arrays and strings that were truncated to the size limit
 * @param error null if the exchange completed
 * @param checkedAt the start of the check, in whole milliseconds
 * @param retryAfterSeconds as in {@link Evaluation}; not part of the serialized result
 * @param complete false if a part of a composite check did not complete; not part of the serialized result
 */
public record CheckResult(
        String module,
        @Nullable String rules,
        @Nullable String target,
        Verdict verdict,
        Map<String, @Nullable Object> fields,
        List<Finding> findings,
        List<String> truncated,
        @Nullable CheckError error,
        Instant checkedAt,
        long durationMs,
        int retryAfterSeconds,
        boolean complete) {

    /** A final result. */
    public CheckResult(
            String module,
            @Nullable String rules,
            @Nullable String target,
            Verdict verdict,
            Map<String, @Nullable Object> fields,
            List<Finding> findings,
            List<String> truncated,
            @Nullable CheckError error,
            Instant checkedAt,
            long durationMs) {
        this(module, rules, target, verdict, fields, findings, truncated, error, checkedAt, durationMs, 0, true);
    }

    /** The first finding of the worst level; null without findings. */
    public @Nullable Finding topFinding() {
        return findings.stream()
                .min(Comparator.comparing(Finding::level, Level.MOST_SEVERE_FIRST))
                .orElse(null);
    }

    /** Returns this result with other findings and the verdict that follows from them. */
    public CheckResult withFindings(Verdict other, List<Finding> otherFindings, List<String> otherTruncated) {
        return new CheckResult(
                module,
                rules,
                target,
                other,
                fields,
                otherFindings,
                otherTruncated,
                error,
                checkedAt,
                durationMs,
                retryAfterSeconds,
                complete);
    }

    /** Returns this result, marked as incomplete: it cannot be cached. */
    public CheckResult incomplete() {
        return new CheckResult(
                module,
                rules,
                target,
                verdict,
                fields,
                findings,
                truncated,
                error,
                checkedAt,
                durationMs,
                retryAfterSeconds,
                false);
    }

    public boolean cacheable() {
        return complete
                && retryAfterSeconds == 0
                && (error == null || error.code().cacheable());
    }
}
