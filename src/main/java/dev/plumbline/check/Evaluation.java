package dev.plumbline.check;

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
 */
public record Evaluation(Map<String, @Nullable Object> fields, List<Finding> findings, @Nullable CheckError error) {

    public Evaluation {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        findings = List.copyOf(findings);
    }
}
