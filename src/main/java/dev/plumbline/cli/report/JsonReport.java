package dev.plumbline.cli.report;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.plumbline.policy.PolicySummary;
import dev.plumbline.result.ResultJson;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Results as JSON. Those of a list also have the members {@code index} and {@code input}, as the lines of a job. */
final class JsonReport implements ReportWriter {
    /** The syntax around the results. */
    enum Form {
        OBJECT,
        ARRAY,
        /** One result per line (NDJSON). */
        LINES
    }

    private final Form form;
    private final Writer out;
    private boolean begun;

    JsonReport(Form form, Writer out) {
        this.form = form;
        this.out = out;
    }

    @Override
    public void line(CheckedLine line) throws IOException {
        String result = new String(ResultJson.write(line.result()), StandardCharsets.UTF_8);
        String json = result.substring(0, result.length() - 1) + ",\"waited_ms\":"
                + line.limitWait().millis() + policy(line.policy()) + '}';
        if (form == Form.OBJECT) {
            out.write(json);
            out.write('\n');
            return;
        }
        if (form == Form.ARRAY) {
            out.write(begun ? ",\n" : "[\n");
            begun = true;
        }
        out.write("{\"index\":" + line.index() + ",\"input\":\"");
        out.write(JsonStringEncoder.getInstance().quoteAsString(line.input()));
        out.write("\",");
        out.write(json, 1, json.length() - 1);
        if (form == Form.LINES) {
            out.write('\n');
        }
    }

    /** The names have no characters that JSON escapes. */
    private static String policy(@Nullable PolicySummary policy) {
        return policy == null
                ? ""
                : ",\"policy\":{\"name\":" + quoted(policy.name()) + ",\"version\":" + quoted(policy.version())
                        + ",\"met_count\":" + policy.metCount() + ",\"rule_count\":" + policy.ruleCount() + '}';
    }

    private static String quoted(@Nullable String text) {
        return text == null ? "null" : '"' + text + '"';
    }

    @Override
    public void end(VerdictCounts counts) throws IOException {
        if (form == Form.ARRAY) {
            out.write(begun ? "\n]\n" : "[]\n");
        }
    }
}
