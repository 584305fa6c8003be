package dev.plumbline.cli.report;

import dev.plumbline.portfolio.ChangeCsv;
import dev.plumbline.portfolio.ChangeJson;
import dev.plumbline.portfolio.ChangeReport;
import dev.plumbline.result.SpreadsheetText;
import java.io.IOException;
import java.io.Writer;
import java.util.Locale;

/** The formats of a comparison. */
public enum ChangeFormat {
    TEXT,
    JSON,
    NDJSON,
    CSV;

    /** Creates a writer. */
    public ChangeReport report(ChangeReport.Compared compared, Writer out) throws IOException {
        return switch (this) {
            case TEXT -> new ChangeText(compared, out);
            case JSON -> new ChangeJson(compared, out);
            case NDJSON -> ChangeJson.lines(out);
            case CSV -> new ChangeCsv(out, text -> TerminalText.sanitize(SpreadsheetText.escape(text)));
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
