package dev.plumbline.check;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a module makes of its evidence.
 *
 * @param fields values by field name: String, Boolean, Integer, Long, Double, {@link
 *     java.time.Instant}, List, Map or null; fields that are left out become null
 * @param error null when the exchange completed
 */
public record Evaluation(Map<String, @Nullable Object> fields, List<Finding> findings, @Nullable CheckError error) {

    public Evaluation {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        findings = List.copyOf(findings);
    }

    /** The judgement of an exchange that completed. */
    public static Evaluation of(Map<String, @Nullable Object> fields, List<Finding> findings) {
        return new Evaluation(fields, findings, null);
    }
}
