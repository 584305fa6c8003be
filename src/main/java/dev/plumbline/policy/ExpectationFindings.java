package dev.plumbline.policy;

import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.sheet.FindingText;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Findings about expectations and rules that a result does not meet. */
final class ExpectationFindings {
    /** The code of the finding about an expectation that is not part of a policy. */
    static final String EXPECTATION_FAILED = "expectation_failed";

    private static final int MAX_VALUES = 5;

    private ExpectationFindings() {}

    /** Returns the finding about an expectation; null if the result meets it. */
    static @Nullable Finding of(Expectation expectation, Expectation.Outcome outcome, ExpressionVariables result) {
        String expression = '`' + expectation.text().replace('`', '\'').replace('\n', ' ') + '`';
        return switch (outcome.state()) {
            case MET -> null;
            case NOT_MET ->
                finding(
                        expectation,
                        "The expectation " + expression + " is not met." + values(expectation, result),
                        "Fix the target, or change the expectation.");
            case NOT_DETERMINED ->
                finding(
                        expectation,
                        "The expectation " + expression + " was not determined, because " + outcome.reason() + '.'
                                + values(expectation, result),
                        expectation.isValid()
                                ? "If the value can be missing, compare it with `null` first. Otherwise, fix the error of"
                                        + " the check."
                                : "Create a new job with a valid expression, or read this job with other ones.");
        };
    }

    private static Finding finding(Expectation expectation, String message, String action) {
        return new Finding(Level.FAIL, EXPECTATION_FAILED, onlyField(expectation), message, action, null);
    }

    /** The field that an expectation reads; null if it reads none or several. */
    static @Nullable String onlyField(Expectation expectation) {
        List<String> fields = expectation.fields();
        return fields.size() == 1 ? fields.get(0) : null;
    }

    /** The values of the fields that an expectation reads, each at most 200 characters: {@code status is 404.} */
    static String values(Expectation expectation, ExpressionVariables result) {
        StringBuilder text = new StringBuilder();
        for (String field : expectation
                .fields()
                .subList(0, Math.min(MAX_VALUES, expectation.fields().size()))) {
            text.append(" `%s` %s.".formatted(field, value(result.fields().get(field))));
        }
        return text.toString();
    }

    /** The first objects of a list would rarely be those that the expectation is about. */
    private static String value(@Nullable Object value) {
        if (value instanceof List<?> list && !list.isEmpty() && list.get(0) instanceof Map) {
            return "has " + list.size() + (list.size() == 1 ? " item" : " items");
        }
        String shown = value == null ? "null" : FindingText.of(value);
        return "is " + (shown.isEmpty() ? "empty" : shown);
    }
}
