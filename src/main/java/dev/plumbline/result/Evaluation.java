package dev.plumbline.result;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The report of a module: field values, findings and error.
 *
 * @param fields values by field name: String, Boolean, Integer, Long, Double, {@link java.time.Instant}, List, Map or
 *     null; omitted fields become null
 * @param error null if the exchange completed
 * @param retryAfterSeconds the delay after which a line of a job is checked once more, because the result is temporary;
 *     0 if it is final
 */
public record Evaluation(
        Map<String, @Nullable Object> fields,
        List<Finding> findings,
        @Nullable CheckError error,
        int retryAfterSeconds) {
    /** The longest delay of a retry. With a longer one, the result is final. */
    public static final int MAX_RETRY_AFTER_SECONDS = 60;

    public Evaluation {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        findings = List.copyOf(findings);
    }

    /** A final report. */
    public Evaluation(Map<String, @Nullable Object> fields, List<Finding> findings, @Nullable CheckError error) {
        this(fields, findings, error, 0);
    }
}
