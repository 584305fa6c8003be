package dev.plumbline.http.web.report;

import dev.plumbline.check.UnicodeName;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.http.web.layout.Labels;
import dev.plumbline.http.web.tool.CheckForm;
import dev.plumbline.http.web.tool.CheckTabs;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A report.
 *
 * @param verdict pass, warn, fail or error
 * @param summary the most important finding, or the error
 * @param findings the most severe first
 * @param details fields with a single value, in the order of declaration
 * @param timings null if there are less than two durations
 * @param sections fields with lists, tables or objects
 * @param truncated the titles of the truncated fields
 * @param path of the report
 * @param apiPath of the same check in the API
 */
public record ReportView(
        UnicodeName target,
        String verdict,
        DisplayText summary,
        List<FindingView> findings,
        List<FieldView> details,
        DisplayValue.@Nullable Waterfall timings,
        List<FieldView> sections,
        List<String> truncated,
        Age age,
        String path,
        String apiPath,
        String curl,
        CheckForm form,
        CheckTabs tabs) {

    /**
     * @param field the name of the field to which the finding refers, or null
     * @param reference the title of the standard, or null
     * @param referenceUrl its address, or null
     */
    public record FindingView(
            String level,
            String code,
            String message,
            String action,
            @Nullable String field,
            @Nullable String fieldTitle,
            @Nullable String reference,
            @Nullable String referenceUrl) {}

    /** @param level of the most severe finding that refers to the field, or null */
    public record FieldView(
            String name, String title, String description, DisplayValue value, @Nullable String level) {}

    /**
     * The age of a result.
     *
     * @param expiresAt when a new check is possible; null for a result of a job
     * @param text the age, for example "2 minutes ago"
     * @param remaining the time until the result expires; null if it has expired or belongs to a job
     * @param fresh whether the check ran for this request or job
     * @param quota the sentence about the remaining quota; empty if unknown
     * @param duration of the check
     */
    public record Age(
            DisplayValue.Timestamp checkedAt,
            DisplayValue.@Nullable Timestamp expiresAt,
            String text,
            @Nullable String remaining,
            boolean fresh,
            String quota,
            String duration) {}

    public String verdictLabel() {
        return Labels.verdict(verdict);
    }

    /** The description for link previews. */
    public String description() {
        return verdictLabel() + ": " + summary.line();
    }
}
