package dev.plumbline.policy;

import dev.plumbline.policy.Policy.Rule;
import dev.plumbline.sheet.ModuleDescription;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a policy that apply to the parts of a composite: those of the modules of its parts that only read fields
 * that composites keep. Immutable.
 */
final class PartRules {
    /** The field of a composite with its parts: a list of objects with {@code module}, or an object by module. */
    static final String FIELD = "parts";

    private final Map<String, List<Rule>> rules;

    /**
     * A part.
     *
     * @param target null if it was not determined
     */
    record Part(ModuleDescription module, @Nullable String target, ExpressionVariables variables) {}

    private PartRules(Map<String, List<Rule>> rules) {
        this.rules = rules;
    }

    static PartRules of(@Nullable Policy policy, ModuleDescription composite) {
        Map<String, List<Rule>> rules = new LinkedHashMap<>();
        if (policy != null && composite.composite()) {
            policy.modules().forEach((module, declared) -> {
                List<Rule> readable = declared.rules().stream()
                        .filter(rule -> applies(rule, composite))
                        .toList();
                if (!readable.isEmpty()) {
                    rules.put(module, readable);
                }
            });
        }
        return new PartRules(rules);
    }

    private static boolean applies(Rule rule, ModuleDescription composite) {
        ModuleDescription module = rule.expect().module();
        return module.partOf().containsKey(composite.module())
                && module.partFields().containsAll(rule.expect().fields());
    }

    boolean isEmpty() {
        return rules.isEmpty();
    }

    int count() {
        return rules.values().stream().mapToInt(List::size).sum();
    }

    List<Rule> all() {
        return rules.values().stream().flatMap(List::stream).toList();
    }

    /** The rules of a part, in the order of the policy. */
    List<Rule> of(Part part) {
        return rules.getOrDefault(part.module().module(), List.of());
    }

    /** The parts of a result for which there are rules, in the order of the policy. */
    List<Part> parts(Map<String, ? extends @Nullable Object> fields) {
        Object value = fields.get(FIELD);
        List<Part> parts = new ArrayList<>();
        for (Map.Entry<String, List<Rule>> entry : rules.entrySet()) {
            String name = entry.getKey();
            ModuleDescription module = entry.getValue().get(0).expect().module();
            if (value instanceof List<?> list) {
                list.stream()
                        .filter(item -> item instanceof Map<?, ?> row && name.equals(row.get("module")))
                        .forEach(row -> parts.add(part(module, (Map<?, ?>) row)));
            } else if (value instanceof Map<?, ?> byModule && byModule.get(name) instanceof Map<?, ?> row) {
                parts.add(part(module, row));
            }
        }
        return parts;
    }

    @SuppressWarnings("unchecked")
    private static Part part(ModuleDescription module, Map<?, ?> row) {
        Object fields = row.get("fields");
        Object error = row.get("error");
        Object code = error instanceof Map<?, ?> object ? object.get("code") : error;
        Object findings = row.get("findings");
        return new Part(
                module,
                (String) row.get("target"),
                new ExpressionVariables(
                        fields instanceof Map<?, ?> kept ? (Map<String, @Nullable Object>) kept : Map.of(),
                        Objects.toString(row.get("verdict"), "error"),
                        (String) code,
                        findings instanceof List<?> codes ? (List<String>) codes : List.of()));
    }
}
