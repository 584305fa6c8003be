package dev.plumbline.cli.report;

import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.ModuleDescription;
import java.io.IOException;
import java.io.Writer;

/**
 * The output of a Nagios plugin: the state and performance data in the first line, followed by the targets with a
 * verdict other than {@code pass}. The state corresponds to the exit code: 1 is WARNING, 2 is CRITICAL, 3 is UNKNOWN.
 */
public final class NagiosReport implements ReportWriter {
    private final ModuleDescription module;
    private final Verdict failOn;
    private final Writer out;
    private final SpooledText problems = new SpooledText();
    private String first = "";

    NagiosReport(ModuleDescription module, Verdict failOn, Writer out) throws IOException {
        this.module = module;
        this.failOn = failOn;
        this.out = out;
    }

    /** The output if nothing could be checked. */
    public static String unknown(String message) {
        return "PLUMBLINE UNKNOWN - " + text(message);
    }

    private static String text(String text) {
        // a vertical bar separates the performance data
        return TerminalText.sanitize(text).replace('|', '/');
    }

    @Override
    public void line(CheckedLine line) throws IOException {
        String text = text(line.target() + " " + line.reason());
        if (line.index() == 0) {
            first = text;
        }
        if (line.result().verdict() != Verdict.PASS) {
            problems.append(line.result().verdict().id() + " " + text + "\n");
        }
    }

    @Override
    public void endInterrupted(VerdictCounts counts) throws IOException {
        out.write(unknown("Interrupted.") + "\n");
    }

    @Override
    public void end(VerdictCounts counts) throws IOException {
        Verdict worst = counts.worst();
        String state =
                switch (worst.compareTo(failOn) < 0 ? Verdict.PASS : worst) {
                    case PASS -> "OK";
                    case WARN -> "WARNING";
                    case FAIL -> "CRITICAL";
                    case ERROR -> "UNKNOWN";
                };
        out.write("PLUMBLINE " + state + " - " + module.module() + " "
                + (counts.total() == 1 ? first.strip() : counts.toString())
                + " |");
        for (Verdict verdict : Verdict.values()) {
            out.write(" " + verdict.id() + "=" + counts.of(verdict));
        }
        out.write("\n");
        problems.drainTo(out);
    }
}
