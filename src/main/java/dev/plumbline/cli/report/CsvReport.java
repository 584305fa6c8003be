package dev.plumbline.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import de.siegmar.fastcsv.writer.CsvWriter;
import dev.plumbline.check.CompositePart;
import dev.plumbline.check.PartColumns;
import dev.plumbline.result.FindingColumns;
import dev.plumbline.result.ResultJson;
import dev.plumbline.result.SpreadsheetText;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.ModuleDescription;
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
    private static final List<String> COLUMNS =
            List.of("index", "input", "target", "verdict", "error_code", "error_message", "duration_ms", "checked_at");
    private static final JsonMapper JSON = new JsonMapper();

    private final ModuleDescription module;
    private final PartColumns parts;
    private final CsvWriter csv;

    CsvReport(ModuleDescription module, List<CompositePart> parts, Writer out) {
        this.parts = new PartColumns(parts);
        this.module = module;
        this.csv = SpreadsheetText.csv(out);
        List<String> header = new ArrayList<>(COLUMNS);
        module.fields().forEach(field -> header.add(field.name()));
        header.addAll(this.parts.names());
        header.addAll(FindingColumns.NAMES);
        csv.writeRecord(header);
    }

    @Override
    public void line(CheckedLine line) throws IOException {
        JsonNode result = JSON.readTree(ResultJson.write(line.result()));
        List<@Nullable String> cells = new ArrayList<>();
        cells.add(Long.toString(line.index()));
        cells.add(text(line.input()));
        cells.add(cell(result.path("target")));
        cells.add(cell(result.path("verdict")));
        cells.add(cell(result.path("error").path("code")));
        cells.add(cell(result.path("error").path("message")));
        cells.add(cell(result.path("duration_ms")));
        cells.add(cell(result.path("checked_at")));
        for (FieldDescription field : module.fields()) {
            cells.add(cell(result.path("fields").path(field.name())));
        }
        cells.addAll(parts.cells(result.path("fields").path(PartColumns.FIELD)));
        FindingColumns findings = FindingColumns.of(line.result().findings());
        String top = findings.top();
        cells.add(findings.codes());
        cells.add(top == null ? null : text(top));
        csv.writeRecord(cells);
    }

    private static @Nullable String cell(JsonNode value) {
        if (value.isMissingNode() || value.isNull()) {
            return null;
        }
        return value.isTextual() ? text(value.textValue()) : TerminalText.sanitize(value.toString());
    }

    private static String text(String text) {
        return TerminalText.sanitize(SpreadsheetText.escape(text));
    }
}
