package dev.plumbline.cli.report;

import de.siegmar.fastcsv.writer.CsvWriter;
import dev.plumbline.portfolio.LineChange;
import dev.plumbline.portfolio.PortfolioLine.LineFinding;
import dev.plumbline.result.SpreadsheetText;
import java.io.IOException;
import java.io.Writer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Changes as CSV (RFC 4180) with a header row, as {@link CsvReport}. Findings are their codes, separated by spaces;
 * fields are JSON.
 */
final class ChangeCsv implements ChangeReport {
    private static final List<String> COLUMNS = List.of(
            "target",
            "change",
            "index",
            "against_index",
            "verdict",
            "against_verdict",
            "findings_added",
            "findings_removed",
            "fields",
            "rules",
            "against_rules",
            "error_code",
            "against_error_code");

    private final CsvWriter csv;

    ChangeCsv(Writer out) {
        csv = SpreadsheetText.csv(out);
        csv.writeRecord(COLUMNS);
    }

    @Override
    public void line(LineChange change) throws IOException {
        Map<String, @Nullable Object> members = change.toMap();
        @Nullable String[] cells = new String[COLUMNS.size()];
        for (int i = 0; i < cells.length; i++) {
            Object value = members.get(COLUMNS.get(i));
            cells[i] = value == null ? null : value instanceof String text ? text(text) : value.toString();
        }
        cells[COLUMNS.indexOf("findings_added")] = text(paths(change.findingsAdded()));
        cells[COLUMNS.indexOf("findings_removed")] = text(paths(change.findingsRemoved()));
        cells[COLUMNS.indexOf("fields")] =
                change.fields().isEmpty() ? null : text(ChangeJson.text(members.get("fields")));
        csv.writeRecord(Arrays.asList(cells));
    }

    @Override
    public void end(ChangeCounts counts) {
        // the records are complete
    }

    private static String paths(List<LineFinding> findings) {
        return findings.stream().map(LineFinding::path).collect(Collectors.joining(" "));
    }

    private static String text(String text) {
        return TerminalText.sanitize(SpreadsheetText.escape(text));
    }
}
