package dev.plumbline.http.api.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import de.siegmar.fastcsv.writer.CsvWriter;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.CompositePart;
import dev.plumbline.result.SpreadsheetText;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.spreadsheet.LineColumns;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a job as CSV (RFC 4180): UTF-8 without a byte order mark, CRLF, a header row and one record per line.
 * With a byte order mark, readers would treat it as a part of the first column name. Null is an empty cell, an empty
 * string is a quoted cell; arrays and objects are JSON. U+0000, which many readers reject or interpret as the end of
 * the file, is replaced by U+FFFD. A composite module has a column with the verdict of each part after the fields.
 * Evaluated results then have columns with the policy. The last columns summarize the findings: their codes, separated
 * by spaces, and the message and action of the first finding of the worst level.
 *
 * <p>Cells contain data of the targets, and spreadsheets run cells that begin like a formula. Such cells are prefixed
 * with an apostrophe.
 */
final class JobCsv implements LineWriter {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int INDEX = 0;
    private static final int INPUT = 1;
    private static final int STATE = 3;

    private final JobMessage.JobSnapshot job;
    private final boolean raw;
    private final LineColumns columns;
    private final StringWriter text = new StringWriter();
    private final CsvWriter csv = SpreadsheetText.csv(text);

    /**
     * @param module null if the module no longer exists; its fields then have no columns
     * @param parts the parts of a composite module
     * @param fields the fields with columns, in this order; empty for all
     * @param evaluated whether the results are evaluated with a policy or expectations
     * @param raw whether formulas are not escaped
     */
    JobCsv(
            JobMessage.JobSnapshot job,
            @Nullable ModuleDescription module,
            List<CompositePart> parts,
            List<String> fields,
            boolean evaluated,
            boolean raw) {
        this.job = job;
        this.raw = raw;
        this.columns = new LineColumns(LineColumns.OF_JOB, module, parts, fields, evaluated);
    }

    @Override
    public void begin(Buffer out) {
        write(out, columns.names().stream().map(this::escape).toArray(String[]::new));
    }

    @Override
    public void line(Buffer out, JobMessage.ResultLine line) {
        @Nullable String[] cells = new String[columns.names().size()];
        if (line.result() != null) {
            try {
                read(JSON.readTree(line.result()), cells);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        cells[INDEX] = Integer.toString(line.index());
        cells[INPUT] = escape(line.input());
        cells[STATE] = LineState.of(job, line).id();
        write(out, cells);
    }

    private void read(JsonNode result, @Nullable String[] cells) {
        List<@Nullable JsonNode> values = columns.cells(result);
        for (int i = 0; i < cells.length; i++) {
            cells[i] = cell(values.get(i));
        }
    }

    private @Nullable String cell(@Nullable JsonNode value) {
        if (value == null) {
            return null;
        }
        if (value.isTextual()) {
            return escape(value.textValue());
        }
        return value.isContainerNode() ? value.toString() : value.asText();
    }

    private String escape(String text) {
        return raw ? SpreadsheetText.replaceNul(text) : SpreadsheetText.escape(text);
    }

    private void write(Buffer out, @Nullable String[] cells) {
        csv.writeRecord(Arrays.asList(cells));
        out.appendString(text.toString());
        text.getBuffer().setLength(0);
    }
}
