package dev.plumbline.http.web.report;

import dev.plumbline.check.UnicodeName;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.tool.CheckForm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A result as its page shows it.
 *
 * @param verdict pass, warn, fail or error
 * @param word the verdict in a word or two
 * @param sentence what it comes down to
 * @param findings the gravest first
 * @param facts single values, in the order of the description
 * @param timings lengths of time; null where there are none
 * @param parts lists, tables and objects, each under its own title
 * @param cut the fields of which only the beginning is shown
 * @param age how old it is
 * @param path where this page is
 * @param json where the API tells the same, without the host
 * @param curl a line for a terminal that asks the API
 */
public record ReportView(
        String title,
        UnicodeName target,
        String verdict,
        String word,
        DisplayText sentence,
        List<FindingView> findings,
        List<Fact> facts,
        DisplayValue.@Nullable Waterfall timings,
        List<Fact> parts,
        List<String> cut,
        Age age,
        String path,
        String json,
        String curl,
        CheckForm form) {

    /**
     * A finding.
     *
     * @param field the anchor of the field it speaks of, or null
     * @param fieldTitle what that is called
     * @param standard where the reference can be read, or null
     */
    public record FindingView(
            String level,
            String code,
            DisplayText message,
            DisplayText action,
            @Nullable String field,
            @Nullable String fieldTitle,
            @Nullable String reference,
            @Nullable String standard) {}

    /**
     * A field.
     *
     * @param level of the gravest finding that speaks of it, or null
     */
    public record Fact(String name, String title, String help, DisplayValue value, @Nullable String level) {}

    /**
     * How old a result is, and how long it is told again.
     *
     * @param checked when it was found
     * @param until when it may be found anew
     * @param since in words
     * @param left in words; null if it may be found anew already
     * @param fresh whether it was found for this reader
     * @param quotaLeft how many fresh checks the reader has left, of how many; null where not known
     * @param tookMs how long the check took
     */
    public record Age(
            DisplayValue.Moment checked,
            DisplayValue.Moment until,
            String since,
            @Nullable String left,
            boolean fresh,
            @Nullable String quotaLeft,
            String took) {}

    /** What a preview of a link says. */
    public String summary() {
        StringBuilder out = new StringBuilder(word).append(": ");
        sentence.runs().forEach(run -> out.append(run.text()));
        return out.toString();
    }
}
