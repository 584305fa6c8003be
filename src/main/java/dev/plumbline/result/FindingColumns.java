package dev.plumbline.result;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last columns of CSV files, which summarize the findings of a result: their codes, and the message and action of
 * the first finding of the worst level. Not thread-safe.
 */
public final class FindingColumns {
    public static final List<String> NAMES = List.of("finding_codes", "top_finding");

    private final List<String> codes = new ArrayList<>();
    private @Nullable Level worst;
    private @Nullable String top;

    public static FindingColumns of(List<Finding> findings) {
        FindingColumns columns = new FindingColumns();
        findings.forEach(finding -> columns.add(finding.level(), finding.code(), finding.message(), finding.action()));
        return columns;
    }

    public void add(Level level, String code, String message, String action) {
        codes.add(code);
        if (worst == null || level.compareTo(worst) > 0) {
            worst = level;
            top = action.isEmpty() ? message : message + ' ' + action;
        }
    }

    /** The codes, separated by spaces; empty without findings. */
    public String codes() {
        return String.join(" ", codes);
    }

    /** The message and action of the worst finding; null without findings. */
    public @Nullable String top() {
        return top;
    }
}
