package dev.plumbline.policy;

import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an expression can read of a result.
 *
 * @param fields values by name, of the types of {@link dev.plumbline.result.Evaluation#fields} or of JSON, in which
 *     times are strings
 * @param verdict for example {@code pass}
 * @param errorCode null if the check completed
 * @param findings the codes of the findings
 */
public record ExpressionVariables(
        Map<String, ? extends @Nullable Object> fields,
        String verdict,
        @Nullable String errorCode,
        List<String> findings) {

    public static ExpressionVariables of(CheckResult result) {
        return new ExpressionVariables(
                result.fields(),
                result.verdict().id(),
                result.error() == null ? null : result.error().code().id(),
                result.findings().stream().map(Finding::code).toList());
    }
}
