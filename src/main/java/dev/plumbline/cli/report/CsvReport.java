package dev.plumbline.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import de.siegmar.fastcsv.writer.CsvWriter;
import dev.plumbline.check.CompositePart;
import dev.plumbline.result.ResultJson;
import dev.plumbline.result.SpreadsheetText;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.spreadsheet.LineColumns;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Results as CSV (RFC 4180) with a header row: null is an empty cell, an empty string is a quoted cell, arrays and
 * objects are JSON, formulas are escaped, and control and format characters are replaced. Columns have the same names
 * and content as in the CSV of a job, which has two more.
 */
final class CsvReport implements ReportWriter {
    private static final int INDEX = 0;
    private static final int INPUT = 1;
    private static final JsonMapper JSON = new JsonMapper();

    private final LineColumns columns;
    private final CsvWriter csv;

    /** @param evaluated whether the results are evaluated with a policy or expectations */
    CsvReport(ModuleDescription module, List<CompositePart> parts, boolean evaluated, Writer out) {
        columns = new LineColumns(LineColumns.OF_CHECK, module, parts, List.of(), evaluated);
        csv = SpreadsheetText.csv(out);
        csv.writeRecord(columns.names());
    }

    @Override
    public void line(CheckedLine line) throws IOException {
        List<@Nullable String> cells = new ArrayList<>();
        ObjectNode result = (ObjectNode) JSON.readTree(ResultJson.write(line.result()));
        if (line.policy() != null) {
            result.set("policy", JSON.valueToTree(line.policy().members()));
        }
        for (JsonNode value : columns.cells(result)) {
            cells.add(cell(value));
        }
        cells.set(INDEX, Long.toString(line.index()));
        cells.set(INPUT, text(line.input()));
        csv.writeRecord(cells);
    }

    private static @Nullable String cell(@Nullable JsonNode value) {
        if (value == null) {
            return null;
        }
        return value.isTextual() ? text(value.textValue()) : TerminalText.sanitize(value.toString());
    }

    private static String text(String text) {
        return TerminalText.sanitize(SpreadsheetText.escape(text));
    }
}
