package dev.plumbline.sheet;

import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The key value of a report in a few words, for example {@code expires in 12 days} or {@code 301 → 200, 84 ms}. It is
 * the text of the first case whose condition is met and whose placeholders have values.
 */
public final class Headline {
    /** The condition of a case that does not have one. */
    private static final String OTHERWISE = "otherwise";

    private final List<Case> cases;

    private Headline(List<Case> cases) {
        this.cases = List.copyOf(cases);
    }

    /**
     * A case.
     *
     * @param condition the code of a finding, {@code field=value} with alternatives separated by {@code |}, or
     *     {@code otherwise}
     * @param text the template
     */
    public record Declaration(String condition, String text) {}

    /** @param finding the code of the finding that the case requires; null if it requires a value */
    private record Case(
            Declaration declaration,
            @Nullable String finding,
            @Nullable String field,
            List<String> values,
            HeadlineTemplate template) {

        boolean applies(Map<String, ?> fields, Collection<String> findings, boolean completed) {
            if (finding != null) {
                return findings.contains(finding);
            }
            // With an error, the values of fields can be incomplete. Only findings are certain.
            if (field == null) {
                return completed;
            }
            Object value = fields.get(field);
            return completed && value != null && values.contains(value.toString());
        }
    }

    /** A headline without cases. */
    public static Headline none() {
        return new Headline(List.of());
    }

    /** @throws IllegalArgumentException naming the case that is not valid */
    static Headline parse(Map<String, String> declared, List<FieldDescription> fields, List<FindingCode> findings) {
        List<Case> cases = new ArrayList<>();
        declared.forEach((condition, text) -> {
            try {
                cases.add(parse(new Declaration(condition, text), fields, findings));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("headline " + condition + ": " + e.getMessage(), e);
            }
        });
        return new Headline(cases);
    }

    private static Case parse(Declaration declared, List<FieldDescription> fields, List<FindingCode> findings) {
        HeadlineTemplate template = HeadlineTemplate.parse(declared.text(), fields);
        String condition = declared.condition();
        if (condition.equals(OTHERWISE)) {
            return new Case(declared, null, null, List.of(), template);
        }
        int equals = condition.indexOf('=');
        if (equals < 0) {
            if (findings.stream().noneMatch(finding -> finding.code().equals(condition))) {
                throw new IllegalArgumentException("finding " + condition + " is not declared");
            }
            return new Case(declared, condition, null, List.of(), template);
        }
        String name = condition.substring(0, equals);
        List<String> values = Arrays.asList(condition.substring(equals + 1).split("\\|"));
        FieldDescription field = fields.stream()
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("field " + name + " is not declared"));
        for (String value : values) {
            boolean valid =
                    switch (field.type()) {
                        case BOOLEAN -> value.equals("true") || value.equals("false");
                        case INTEGER -> value.matches("-?\\d+");
                        case STRING ->
                            field.values().isEmpty() || field.values().contains(value);
                        default -> false;
                    };
            if (!valid) {
                throw new IllegalArgumentException(name + " cannot be " + value);
            }
        }
        return new Case(declared, null, name, values, template);
    }

    /** The cases in order. */
    public List<Declaration> declarations() {
        return cases.stream().map(Case::declaration).toList();
    }

    /** The headline of a result; null if no case applies. */
    public @Nullable String of(CheckResult result) {
        return of(result.fields(), result.findings().stream().map(Finding::code).toList(), result.error() == null);
    }

    /**
     * The headline of a report; null if no case applies.
     *
     * @param fields lists as {@link Collection}, objects as {@link Map}
     * @param findings the codes of the findings
     * @param completed whether the result does not have an error. With an error, only cases that require a finding
     *     apply
     */
    public @Nullable String of(Map<String, ?> fields, Collection<String> findings, boolean completed) {
        for (Case candidate : cases) {
            if (candidate.applies(fields, findings, completed)) {
                String text = candidate.template().fill(fields);
                if (text != null) {
                    return text;
                }
            }
        }
        return null;
    }
}
