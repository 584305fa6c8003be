package dev.plumbline.cli.report;

import dev.plumbline.result.CheckError;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.PrintableText;
import java.io.IOException;
import java.io.Writer;
import java.util.Locale;

/**
 * Results as JUnit XML, one test case per target. Verdicts at or above {@code --fail-on} are failures, except
 * {@code error}, which is an error. The type of a failure is the title of its most severe finding, that of an error its
 * code.
 */
final class JunitReport implements ReportWriter {
    private final ModuleDescription module;
    private final Verdict failOn;
    private final Writer out;
    private final SpooledText cases = new SpooledText();
    private long failures;
    private long errors;
    private long milliseconds;

    JunitReport(ModuleDescription module, Verdict failOn, Writer out) throws IOException {
        this.module = module;
        this.failOn = failOn;
        this.out = out;
    }

    @Override
    public void line(CheckedLine line) throws IOException {
        Verdict verdict = line.result().verdict();
        milliseconds += line.result().durationMs();
        cases.append("  <testcase classname=\"" + module.module() + "\" name=\"" + escape(line.target()) + "\" time=\""
                + seconds(line.result().durationMs()) + "\"");
        if (verdict.compareTo(failOn) < 0) {
            cases.append("/>\n");
            return;
        }
        boolean error = verdict == Verdict.ERROR;
        failures += error ? 0 : 1;
        errors += error ? 1 : 0;
        String element = error ? "error" : "failure";
        cases.append(">\n    <" + element + " type=\"" + escape(type(line)) + "\" message=\"" + escape(line.reason())
                + "\">" + escape(TextReport.of(module, line)) + "</" + element + ">\n  </testcase>\n");
    }

    @Override
    public void end(VerdictCounts counts) throws IOException {
        out.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" + module.module() + "\" tests=\""
                + counts.total() + "\" failures=\"" + failures + "\" errors=\"" + errors + "\" skipped=\"0\" time=\""
                + seconds(milliseconds) + "\">\n");
        cases.drainTo(out);
        out.write("</testsuite>\n");
    }

    /** The code of the error; without one, the title of the most severe finding. */
    private String type(CheckedLine line) {
        CheckError error = line.result().error();
        return error != null
                ? error.code().id()
                : line.problem()
                        .map(finding -> title(finding.code()))
                        .orElse(line.result().verdict().id());
    }

    /** The title of a finding; its code if the module does not declare it, as that of a policy. */
    private String title(String code) {
        FindingCode declared = module.finding(code);
        return declared == null ? code : declared.title();
    }

    private static String seconds(long milliseconds) {
        return String.format(Locale.ROOT, "%.3f", milliseconds / 1000.0);
    }

    /** Escapes text for XML. Characters that XML 1.0 does not allow become U+FFFD. */
    private static String escape(String text) {
        StringBuilder xml = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            switch (c) {
                case '&' -> xml.append("&amp;");
                case '<' -> xml.append("&lt;");
                case '>' -> xml.append("&gt;");
                case '"' -> xml.append("&quot;");
                // a parser reads a carriage return as a line feed
                case '\r' -> xml.appendCodePoint(0xFFFD);
                default -> xml.appendCodePoint(PrintableText.isXml(c) ? c : 0xFFFD);
            }
        });
        return xml.toString();
    }
}
