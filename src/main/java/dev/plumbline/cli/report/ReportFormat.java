package dev.plumbline.cli.report;

import dev.plumbline.check.CompositePart;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.ModuleDescription;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.util.List;
import java.util.Locale;

/** The formats of the results of {@code check}. */
public enum ReportFormat {
    TEXT,
    JSON,
    NDJSON,
    CSV,
    JUNIT,
    MARKDOWN,
    NAGIOS,
    XLSX;

    /**
     * Creates a writer.
     *
     * @param parts the parts of a composite module
     * @param single whether the run has exactly one target
     * @param evaluated whether the results are evaluated with a policy or expectations
     * @param failOn the least severe verdict that is reported as a failure
     * @param binaryOut the output if the format is not text
     */
    public ReportWriter writer(
            ModuleDescription module,
            List<CompositePart> parts,
            boolean single,
            boolean evaluated,
            Verdict failOn,
            Writer out,
            OutputStream binaryOut)
            throws IOException {
        return switch (this) {
            case TEXT -> new TextLineReport(module, single, out);
            case JSON -> new JsonReport(single ? JsonReport.Form.OBJECT : JsonReport.Form.ARRAY, out);
            case NDJSON -> new JsonReport(JsonReport.Form.LINES, out);
            case CSV -> new CsvReport(module, parts, evaluated, out);
            case JUNIT -> new JunitReport(module, failOn, out);
            case MARKDOWN -> new MarkdownReport(module, out);
            case NAGIOS -> new NagiosReport(module, failOn, out);
            case XLSX -> new XlsxReport(module, parts, evaluated, binaryOut);
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
