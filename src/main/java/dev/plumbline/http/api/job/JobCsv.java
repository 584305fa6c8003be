package dev.plumbline.http.api.job;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.json.JsonMapper;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.CompositePart;
import dev.plumbline.check.PartColumns;
import dev.plumbline.result.FindingColumns;
import dev.plumbline.result.Level;
import dev.plumbline.result.SpreadsheetText;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.ModuleDescription;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a job as CSV (RFC 4180): UTF-8 without a byte order mark, CRLF, a header row and one record per line.
 * With a byte order mark, readers would treat it as a part of the first column name. Null is an empty cell, an empty
 * string is a quoted cell; arrays and objects are JSON. U+0000, which many readers reject or interpret as the end of
 * the file, is replaced by U+FFFD. A composite module has a column with the verdict of each part after the fields. The
 * last columns summarize the findings: their codes, separated by spaces, and the message and action of the first
 * finding of the worst level.
 *
 * <p>Cells contain data of the targets, and spreadsheets run cells that begin like a formula. Such cells are prefixed
 * with an apostrophe.
 */
public final class JobCsv implements LineWriter {
    /** The columns before the fields of the module. */
    public static final List<String> COLUMNS = List.of(
            "index",
            "input",
            "target",
            "state",
            "verdict",
            "error_code",
            "error_message",
            "duration_ms",
            "cached",
            "checked_at");

    private static final JsonFactory JSON = new JsonFactory();
    private static final JsonMapper TREE = new JsonMapper(JSON);
    private static final int INDEX = 0;
    private static final int INPUT = 1;
    private static final int STATE = 3;

    private final JobMessage.JobSnapshot job;
    private final boolean raw;
    private final List<String> header = new ArrayList<>(COLUMNS);
    private final Map<String, Integer> resultColumns = new HashMap<>();
    private final Map<String, Integer> fieldColumns = new HashMap<>();
    private final PartColumns partColumns;
    private final int firstPartColumn;
    private final StringWriter text = new StringWriter();
    private final CsvWriter csv = CsvWriter.builder()
            .lineDelimiter(LineDelimiter.CRLF)
            .quoteStrategy(SpreadsheetText.QUOTES)
            .bufferSize(0)
            .build(text);

    /**
     * @param module null if the module no longer exists; its fields then have no columns
     * @param parts the parts of a composite module
     * @param raw whether formulas are not escaped
     */
    JobCsv(JobMessage.JobSnapshot job, @Nullable ModuleDescription module, List<CompositePart> parts, boolean raw) {
        this.job = job;
        this.raw = raw;
        for (String column : COLUMNS) {
            resultColumns.put(column, resultColumns.size());
        }
        if (module != null) {
            for (FieldDescription field : module.fields()) {
                fieldColumns.put(field.name(), header.size());
                header.add(field.name());
            }
        }
        partColumns = new PartColumns(parts);
        firstPartColumn = header.size();
        header.addAll(partColumns.names());
        header.addAll(FindingColumns.NAMES);
    }

    @Override
    public void begin(Buffer out) {
        write(out, header.stream().map(this::escape).toArray(String[]::new));
    }

    @Override
    public void line(Buffer out, JobMessage.ResultLine line) {
        @Nullable String[] cells = new String[header.size()];
        cells[INDEX] = Integer.toString(line.index());
        cells[INPUT] = escape(line.input());
        cells[STATE] = LineState.of(job, line).id();
        if (line.result() != null) {
            try (JsonParser json = JSON.createParser(line.result())) {
                json.nextToken();
                readResult(json, line.result(), cells);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        write(out, cells);
    }

    private void readResult(JsonParser json, byte[] bytes, @Nullable String[] cells) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "fields" -> {
                    readMembers(json, bytes, cells, fieldColumns, "");
                    readParts(cells);
                }
                case "error" -> readMembers(json, bytes, cells, resultColumns, "error_");
                case "findings" -> readFindings(json, cells);
                default -> put(json, bytes, cells, resultColumns.get(name));
            }
        }
    }

    /** Writes the members of an object into their columns. Does nothing for null. */
    private void readMembers(
            JsonParser json, byte[] bytes, @Nullable String[] cells, Map<String, Integer> columns, String prefix)
            throws IOException {
        if (json.currentToken() == JsonToken.START_OBJECT) {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                Integer column = columns.get(prefix + json.currentName());
                json.nextToken();
                put(json, bytes, cells, column);
            }
        }
    }

    /** Writes the verdicts of the parts of a composite, from the cell of the field with its parts. */
    private void readParts(@Nullable String[] cells) throws IOException {
        Integer column = fieldColumns.get(PartColumns.FIELD);
        String parts = column == null ? null : cells[column];
        if (parts != null && !partColumns.names().isEmpty()) {
            List<@Nullable String> verdicts = partColumns.cells(TREE.readTree(parts));
            for (int i = 0; i < verdicts.size(); i++) {
                cells[firstPartColumn + i] = verdicts.get(i);
            }
        }
    }

    private void readFindings(JsonParser json, @Nullable String[] cells) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            json.skipChildren();
            return;
        }
        FindingColumns columns = new FindingColumns();
        while (json.nextToken() == JsonToken.START_OBJECT) {
            Map<String, String> finding = new HashMap<>();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                finding.put(name, json.getText());
            }
            columns.add(
                    Level.of(finding.getOrDefault("level", "")),
                    finding.getOrDefault("code", ""),
                    finding.getOrDefault("message", ""),
                    finding.getOrDefault("action", ""));
        }
        String top = columns.top();
        cells[cells.length - 2] = columns.codes();
        cells[cells.length - 1] = top == null ? null : escape(top);
    }

    private void put(JsonParser json, byte[] bytes, @Nullable String[] cells, @Nullable Integer column)
            throws IOException {
        if (column == null) {
            json.skipChildren();
            return;
        }
        cells[column] = switch (json.currentToken()) {
            case VALUE_NULL -> null;
            case VALUE_STRING -> escape(json.getText());
            case START_ARRAY, START_OBJECT -> rawJson(json, bytes);
            default -> json.getText();
        };
    }

    private static String rawJson(JsonParser json, byte[] bytes) throws IOException {
        int from = (int) json.currentTokenLocation().getByteOffset();
        json.skipChildren();
        int to = (int) json.currentLocation().getByteOffset();
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
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
