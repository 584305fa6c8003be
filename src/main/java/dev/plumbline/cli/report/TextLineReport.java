package dev.plumbline.cli.report;

import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.UnicodeName;
import java.io.IOException;
import java.io.Writer;
import java.util.Locale;

/** The complete report of a single target, or one line per target and a summary. */
record TextLineReport(ModuleDescription module, boolean single, Writer out) implements ReportWriter {
    @Override
    public void line(CheckedLine line) throws IOException {
        if (single) {
            out.write(TextReport.of(module, line) + "\n");
            return;
        }
        String headline = module.headline().of(line.result());
        String reason = line.reason().isEmpty() && headline != null ? headline : line.reason();
        out.write(String.format(Locale.ROOT, "%-7s", line.result().verdict().name())
                + TerminalText.sanitize(UnicodeName.of(line.target()).toString())
                + (reason.isEmpty() ? "" : "  " + TerminalText.sanitize(reason))
                + "\n");
    }

    @Override
    public void end(VerdictCounts counts) throws IOException {
        if (!single) {
            out.write(String.format(Locale.ROOT, "%n%,d checked: %s%n", counts.total(), counts));
        }
    }

    @Override
    public void endInterrupted(VerdictCounts counts) {
        // without a second summary
    }
}
