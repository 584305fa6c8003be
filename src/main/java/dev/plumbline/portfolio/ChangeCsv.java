package dev.plumbline.portfolio;

import de.siegmar.fastcsv.writer.CsvWriter;
import dev.plumbline.portfolio.PortfolioLine.LineFinding;
import dev.plumbline.result.SpreadsheetText;
import java.io.IOException;
import java.io.Writer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Changes as CSV (RFC 4180) with a header row: null is an empty cell. Findings are their codes, separated by spaces;
 * fields are JSON; changed rules are those of {@link LineChange#rulesText}.
 */
public final class ChangeCsv implements ChangeReport {
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
            "rules_changed",
            "error_code",
            "against_error_code");

    private final CsvWriter csv;
    private final UnaryOperator<String> text;

    /** @param text returns the cell of a text, for example {@link SpreadsheetText#escape} */
    public ChangeCsv(Writer out, UnaryOperator<String> text) {
        this.text = text;
        csv = SpreadsheetText.csv(out);
        csv.writeRecord(COLUMNS);
    }

    @Override
    public void line(LineChange change) throws IOException {
        Map<String, @Nullable Object> members = change.toMap();
        @Nullable String[] cells = new String[COLUMNS.size()];
        for (int i = 0; i < cells.length; i++) {
            Object value = members.get(COLUMNS.get(i));
            cells[i] = value == null ? null : value instanceof String string ? text.apply(string) : value.toString();
        }
        cells[COLUMNS.indexOf("findings_added")] = text.apply(paths(change.findingsAdded()));
        cells[COLUMNS.indexOf("findings_removed")] = text.apply(paths(change.findingsRemoved()));
        cells[COLUMNS.indexOf("fields")] =
                change.fields().isEmpty() ? null : text.apply(ChangeJson.text(members.get("fields")));
        cells[COLUMNS.indexOf("rules_changed")] = change.rulesChanged() ? text.apply(change.rulesText()) : null;
        csv.writeRecord(Arrays.asList(cells));
    }

    @Override
    public void end(ChangeCounts counts, @Nullable String nextCursor) {
        // the records are complete
    }

    private static String paths(List<LineFinding> findings) {
        return findings.stream().map(LineFinding::path).collect(Collectors.joining(" "));
    }
}
