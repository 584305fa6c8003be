package dev.plumbline.cli.report;

import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.UnicodeName;
import java.io.IOException;
import java.io.Writer;
import java.util.Locale;

/** Results as a table of GitHub Flavored Markdown, for job summaries and pull requests. */
final class MarkdownReport implements ReportWriter {
    private final Writer out;

    MarkdownReport(ModuleDescription module, Writer out) throws IOException {
        this.out = out;
        out.write("## " + module.title() + "\n\n| Verdict | Target | Finding |\n|---|---|---|\n");
    }

    @Override
    public void line(CheckedLine line) throws IOException {
        out.write("| " + line.result().verdict().id() + " | "
                + cell(UnicodeName.of(line.target()).toString()) + " | " + cell(line.reason()) + " |\n");
    }

    @Override
    public void end(VerdictCounts counts) throws IOException {
        out.write(String.format(Locale.ROOT, "%n%,d checked: %s%n", counts.total(), counts));
    }

    @Override
    public void endInterrupted(VerdictCounts counts) {
        // without a second summary
    }

    /** Escapes every ASCII punctuation character, so that data of a target is never markup. */
    private static String cell(String text) {
        return TerminalText.sanitize(text).replaceAll("[\\\\`*_{}\\[\\]<>()#+!|~&$@:]", "\\\\$0");
    }
}
