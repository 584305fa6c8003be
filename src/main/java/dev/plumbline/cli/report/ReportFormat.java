package dev.plumbline.cli.report;

import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Verdict;
import java.io.IOException;
import java.io.Writer;
import java.util.Locale;

/** The formats of the results of {@code check}. */
public enum ReportFormat {
    TEXT {
        @Override
        public ReportWriter writer(ModuleDescription module, boolean single, Verdict failOn, Writer out) {
            return new TextLineReport(module, single, out);
        }
    },
    JSON {
        @Override
        public ReportWriter writer(ModuleDescription module, boolean single, Verdict failOn, Writer out) {
            return new JsonReport(single ? JsonReport.Form.OBJECT : JsonReport.Form.ARRAY, out);
        }
    },
    NDJSON {
        @Override
        public ReportWriter writer(ModuleDescription module, boolean single, Verdict failOn, Writer out) {
            return new JsonReport(JsonReport.Form.LINES, out);
        }
    },
    CSV {
        @Override
        public ReportWriter writer(ModuleDescription module, boolean single, Verdict failOn, Writer out)
                throws IOException {
            return new CsvReport(module, out);
        }
    },
    JUNIT {
        @Override
        public ReportWriter writer(ModuleDescription module, boolean single, Verdict failOn, Writer out)
                throws IOException {
            return new JunitReport(module, failOn, out);
        }
    },
    MARKDOWN {
        @Override
        public ReportWriter writer(ModuleDescription module, boolean single, Verdict failOn, Writer out)
                throws IOException {
            return new MarkdownReport(module, out);
        }
    },
    NAGIOS {
        @Override
        public ReportWriter writer(ModuleDescription module, boolean single, Verdict failOn, Writer out)
                throws IOException {
            return new NagiosReport(module, failOn, out);
        }
    };

    /**
     * Creates a writer.
     *
     * @param single whether the run has exactly one target
     * @param failOn the least severe verdict that is reported as a failure
     */
    public abstract ReportWriter writer(ModuleDescription module, boolean single, Verdict failOn, Writer out)
            throws IOException;

    /** The name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
