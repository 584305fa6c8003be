package dev.plumbline.cli.report;

import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Verdict;
import java.io.IOException;
import java.io.Writer;
import java.util.Locale;

/** The formats of the results of {@code check}. */
public enum ReportFormat {
    TEXT((module, single, failOn, out) -> new TextLineReport(module, single, out)),
    JSON((module, single, failOn, out) -> new JsonReport(single ? JsonReport.Form.OBJECT : JsonReport.Form.ARRAY, out)),
    NDJSON((module, single, failOn, out) -> new JsonReport(JsonReport.Form.LINES, out)),
    CSV((module, single, failOn, out) -> new CsvReport(module, out)),
    JUNIT((module, single, failOn, out) -> new JunitReport(module, failOn, out)),
    MARKDOWN((module, single, failOn, out) -> new MarkdownReport(module, out)),
    NAGIOS((module, single, failOn, out) -> new NagiosReport(module, failOn, out));

    private final Factory factory;

    @FunctionalInterface
    private interface Factory {
        ReportWriter create(ModuleDescription module, boolean single, Verdict failOn, Writer out) throws IOException;
    }

    ReportFormat(Factory factory) {
        this.factory = factory;
    }

    /**
     * Creates a writer.
     *
     * @param single whether the run has exactly one target
     * @param failOn the least severe verdict that is reported as a failure
     */
    public ReportWriter writer(ModuleDescription module, boolean single, Verdict failOn, Writer out)
            throws IOException {
        return factory.create(module, single, failOn, out);
    }

    /** The name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
