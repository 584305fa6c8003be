package dev.plumbline.http.api.job;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import de.siegmar.fastcsv.writer.QuoteStrategies;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.ModuleDescription;
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
 * A job's lines as CSV (RFC 4180): UTF-8 without a byte order mark, CRLF, a header, then a record a
 * line. What is null is an empty cell, an empty string a quoted one; arrays and objects are JSON.
 *
 * <p>Whoever runs a target chooses much of what stands here, and a spreadsheet takes what begins
 * like a formula for one: such text gets an apostrophe before it.
 */
public final class JobCsv implements LineWriter {
    /** The columns before those of the module's fields. */
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
    private static final int INDEX = 0;
    private static final int INPUT = 1;
    private static final int STATE = 3;

    /** What makes a formula: also in full width, and behind what a spreadsheet strips. */
    private static final String DANGEROUS = "=+-@\uff1d\uff0b\uff0d\uff20\t\r\n";

    private final JobMessage.JobSnapshot job;
    private final boolean raw;
    private final List<String> header = new ArrayList<>(COLUMNS);
    private final Map<String, Integer> ofResult = new HashMap<>();
    private final Map<String, Integer> ofFields = new HashMap<>();
    private final StringWriter text = new StringWriter();
    private final CsvWriter csv = CsvWriter.builder()
            .lineDelimiter(LineDelimiter.CRLF)
            .quoteStrategy(QuoteStrategies.EMPTY)
            .bufferSize(0)
            .build(text);

    /**
     * @param module null when this program has it no longer: then there are no columns for its fields
     * @param raw whether cells are left as they are, for programs
     */
    JobCsv(JobMessage.JobSnapshot job, @Nullable ModuleDescription module, boolean raw) {
        this.job = job;
        this.raw = raw;
        for (String column : COLUMNS) {
            ofResult.put(column, ofResult.size());
        }
        if (module != null) {
            for (FieldDescription field : module.fields()) {
                ofFields.put(field.name(), header.size());
                header.add(field.name());
            }
        }
    }

    @Override
    public void begin(Buffer out) {
        write(out, header.stream().map(this::safe).toArray(String[]::new));
    }

    @Override
    public void line(Buffer out, JobMessage.ResultLine line) {
        @Nullable String[] cells = new String[header.size()];
        cells[INDEX] = Integer.toString(line.index());
        cells[INPUT] = safe(line.input());
        cells[STATE] = LineState.of(job, line).id();
        if (line.result() != null) {
            try (JsonParser json = JSON.createParser(line.result())) {
                json.nextToken();
                result(json, line.result(), cells);
            } catch (IOException broken) {
                throw new UncheckedIOException(broken);
            }
        }
        write(out, cells);
    }

    @Override
    public void end(Buffer out) {}

    private void result(JsonParser json, byte[] bytes, @Nullable String[] cells) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "fields" -> members(json, bytes, cells, ofFields, "");
                case "error" -> members(json, bytes, cells, ofResult, "error_");
                default -> put(json, bytes, cells, ofResult.get(name));
            }
        }
    }

    /** Puts the members of an object, or nothing where it is null, into their columns. */
    private void members(
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

    private void put(JsonParser json, byte[] bytes, @Nullable String[] cells, @Nullable Integer column)
            throws IOException {
        if (column == null) {
            json.skipChildren();
            return;
        }
        cells[column] = switch (json.currentToken()) {
            case VALUE_NULL -> null;
            case VALUE_STRING -> safe(json.getText());
            case START_ARRAY, START_OBJECT -> asItStands(json, bytes);
            default -> json.getText();
        };
    }

    private static String asItStands(JsonParser json, byte[] bytes) throws IOException {
        int from = (int) json.currentTokenLocation().getByteOffset();
        json.skipChildren();
        int to = (int) json.currentLocation().getByteOffset();
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }

    private String safe(String cell) {
        return raw || cell.isEmpty() || DANGEROUS.indexOf(cell.charAt(0)) < 0 ? cell : "'" + cell;
    }

    private void write(Buffer out, @Nullable String[] cells) {
        csv.writeRecord(Arrays.asList(cells));
        out.appendString(text.toString());
        text.getBuffer().setLength(0);
    }
}
