package dev.plumbline.http.web.layout;

import dev.plumbline.http.problem.Problem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The errors of a submitted form.
 *
 * @param summary the error of the form; null if all errors belong to fields
 * @param fields the error of each field, by name
 */
public record FormErrors(@Nullable String summary, Map<String, String> fields) {
    public static final FormErrors NONE = new FormErrors(null, Map.of());

    /** @param names the fields of the form, as named in the API */
    public static FormErrors of(Problem problem, List<String> names) {
        Map<String, String> fields = new LinkedHashMap<>();
        boolean other = problem.faults().isEmpty();
        for (Problem.Fault fault : problem.faults()) {
            String field = names.stream()
                    .filter(name -> fault.where().startsWith("/" + name))
                    .findFirst()
                    .orElse(null);
            if (field == null) {
                other = true;
            } else {
                fields.putIfAbsent(field, sentence(fault.detail()));
            }
        }
        return new FormErrors(other ? problem.title() + ". " + problem.detail() : null, fields);
    }

    /** Completes a detail without a subject, for example "must be an e-mail address". */
    private static String sentence(String detail) {
        return Character.isLowerCase(detail.charAt(0)) ? "This value " + detail + "." : detail;
    }

    /** The same errors with another message for a field, if the field has an error. */
    public FormErrors withMessage(String field, String message) {
        if (!fields.containsKey(field)) {
            return this;
        }
        Map<String, String> changed = new LinkedHashMap<>(fields);
        changed.put(field, message);
        return new FormErrors(summary, changed);
    }

    public boolean any() {
        return summary != null || !fields.isEmpty();
    }

    /** The error of a field, or null. */
    public @Nullable String of(String field) {
        return fields.get(field);
    }
}
