package dev.plumbline.http.web.layout;

import dev.plumbline.http.problem.Problem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with a form that was sent.
 *
 * @param summary what is wrong with the whole of it; null where its fields say all
 */
public record FormErrors(@Nullable String summary, Map<String, String> fields) {
    /** Nothing. */
    public static final FormErrors NOTHING = new FormErrors(null, Map.of());

    /**
     * @param names of the fields that the form has, as the API names them
     */
    public static FormErrors of(Problem problem, List<String> names) {
        Map<String, String> fields = new LinkedHashMap<>();
        List<String> others = new ArrayList<>();
        for (Problem.Fault fault : problem.faults()) {
            String name = names.stream()
                    .filter(n -> fault.where().startsWith("/" + n))
                    .findFirst()
                    .orElse(null);
            if (name == null) {
                others.add(DisplayText.plain(fault.detail()));
            } else {
                fields.putIfAbsent(name, sentence(DisplayText.plain(fault.detail())));
            }
        }
        String summary =
                problem.faults().isEmpty() ? problem.title() + ". " + DisplayText.plain(problem.detail()) : null;
        return new FormErrors(others.isEmpty() ? summary : problem.title() + ".", fields);
    }

    private static String sentence(String detail) {
        return Character.isLowerCase(detail.charAt(0)) ? "This " + detail + "." : detail;
    }

    /** The same with other words about one field, where something is wrong with it. */
    public FormErrors saying(String field, String words) {
        if (!fields.containsKey(field)) {
            return this;
        }
        Map<String, String> other = new LinkedHashMap<>(fields);
        other.put(field, words);
        return new FormErrors(summary, other);
    }

    public boolean any() {
        return summary != null || !fields.isEmpty();
    }

    /** What is wrong with a field; null: nothing. */
    public @Nullable String of(String field) {
        return fields.get(field);
    }
}
