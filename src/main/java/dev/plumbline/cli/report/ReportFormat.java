package dev.plumbline.cli.report;

import dev.plumbline.check.CompositePart;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.ModuleDescription;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Locale;

/** The formats of the results of {@code check}. */
public enum ReportFormat {
    TEXT((module, parts, single, failOn, out) -> new TextLineReport(module, single, out)),
    JSON((module, parts, single, failOn, out) ->
            new JsonReport(single ? JsonReport.Form.OBJECT : JsonReport.Form.ARRAY, out)),
    NDJSON((module, parts, single, failOn, out) -> new JsonReport(JsonReport.Form.LINES, out)),
    CSV((module, parts, single, failOn, out) -> new CsvReport(module, parts, out)),
    JUNIT((module, parts, single, failOn, out) -> new JunitReport(module, failOn, out)),
    MARKDOWN((module, parts, single, failOn, out) -> new MarkdownReport(module, out)),
    NAGIOS((module, parts, single, failOn, out) -> new NagiosReport(module, failOn, out));

    private final Factory factory;

    @FunctionalInterface
    private interface Factory {
        ReportWriter create(
                ModuleDescription module, List<CompositePart> parts, boolean single, Verdict failOn, Writer out)
                throws IOException;
    }

    ReportFormat(Factory factory) {
        this.factory = factory;
    }

    /**
     * Creates a writer.
     *
     * @param parts the parts of a composite module
     * @param single whether the run has exactly one target
     * @param failOn the least severe verdict that is reported as a failure
     */
    public ReportWriter writer(
            ModuleDescription module, List<CompositePart> parts, boolean single, Verdict failOn, Writer out)
            throws IOException {
        return factory.create(module, parts, single, failOn, out);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
