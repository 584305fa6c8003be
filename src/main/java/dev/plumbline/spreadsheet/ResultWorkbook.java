package dev.plumbline.spreadsheet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.plumbline.portfolio.PortfolioLine;
import dev.plumbline.portfolio.PortfolioLine.LineFinding;
import dev.plumbline.portfolio.PortfolioSummary;
import dev.plumbline.portfolio.PortfolioSummary.Occurrence;
import dev.plumbline.result.Level;
import dev.plumbline.result.SpreadsheetText;
import dev.plumbline.target.PrintableText;
import java.io.IOException;
import java.io.OutputStream;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.dhatim.fastexcel.RichText;
import org.dhatim.fastexcel.Workbook;
import org.dhatim.fastexcel.Worksheet;
import org.jspecify.annotations.Nullable;

/**
 * Results as an Office Open XML workbook (XLSX, ECMA-376) with three sheets: lines, findings (one row per line and
 * finding) and a summary. The header row of each sheet is frozen and has a filter. Times (in UTC), numbers and booleans
 * have their type; arrays and objects are JSON. A cell is never a formula or a hyperlink.
 *
 * <p>Sheets are written one after the other, and no row is kept, so each line is passed twice: to {@link #addLine}, and
 * after {@link #endLines} to {@link #addFindings}. Not thread-safe.
 */
public final class ResultWorkbook {
    /** The maximum number of rows of a sheet. */
    private static final int MAX_ROWS = 1 << 20;

    /** The maximum number of UTF-16 code units of a cell. */
    private static final int MAX_CELL = 32_767;

    /** A spreadsheet has numbers of 15 digits. */
    private static final long MAX_INTEGER = 999_999_999_999_999L;

    private static final String TRUNCATED = "… [truncated]";
    private static final String TRUNCATED_SHEET =
            "Truncated: a sheet has at most 1,048,576 rows. NDJSON contains all lines and findings.";

    /** Spreadsheets count days from 1900, with a day that did not exist in February 1900. */
    private static final Instant MIN_TIME = Instant.parse("1900-03-01T00:00:00Z");

    private static final Instant MAX_TIME = Instant.parse("9999-12-31T00:00:00Z");

    private static final String TIME_FORMAT = "yyyy-mm-dd hh:mm:ss";
    private static final String TEXT_FORMAT = "@";

    /** In the text of a cell, {@code _x0041_} is an escape sequence for a character (ECMA-376, ST_Xstring). */
    private static final Pattern ESCAPE_SEQUENCE = Pattern.compile("_(?=x[0-9A-Fa-f]{4}_)");

    private static final List<String> FINDING_COLUMNS =
            List.of("index", "input", "target", "verdict", "part", "code", "level", "title", "message", "action");
    private static final List<String> SUMMARY_COLUMNS =
            List.of("kind", "part", "code", "level", "title", "count", "indexes");
    private static final Set<String> WIDE_COLUMNS =
            Set.of("input", "target", "error_message", "title", "message", "action", "top_finding");
    private static final int WIDE = 40;
    private static final int NARROW = 12;

    /** The space for the button of the filter in a header cell, in characters. */
    private static final int BUTTON = 4;

    private static final JsonMapper JSON = new JsonMapper();

    private final LineColumns columns;
    private final PortfolioSummary summary;
    private final Workbook workbook;
    private final Sheet lines;
    private final Sheet findings;

    /** @param summary an empty summary for the module */
    public ResultWorkbook(OutputStream out, LineColumns columns, PortfolioSummary summary) {
        this.columns = columns;
        this.summary = summary;
        workbook = new Workbook(out, "Plumbline", null);
        lines = new Sheet(workbook, "Lines", columns.names());
        findings = new Sheet(workbook, "Findings", FINDING_COLUMNS);
    }

    /**
     * Adds a row to the sheet of lines.
     *
     * @param json a line of a job, or of the NDJSON output of the command line
     */
    public void addLine(byte[] json) throws IOException {
        if (!lines.startRow()) {
            return;
        }
        List<@Nullable JsonNode> cells = columns.cells(JSON.readTree(json));
        for (int i = 0; i < cells.size(); i++) {
            JsonNode value = cells.get(i);
            if (value != null) {
                lines.set(i, value, columns.isTime(i));
            }
        }
        lines.endRow();
    }

    /** Completes the sheet of lines. */
    public void endLines() throws IOException {
        lines.end();
    }

    /**
     * Adds a row for each finding of a line.
     *
     * @throws IllegalArgumentException if it is not a line, or if the lines have too many different findings
     */
    public void addFindings(byte[] json) throws IOException {
        // the values of fields are not summarized
        PortfolioLine line = PortfolioLine.parse(json).withoutFields();
        summary.add(line);
        for (LineFinding finding : line.findings()) {
            if (!findings.startRow()) {
                return;
            }
            int column = 0;
            findings.number(column++, line.index());
            findings.text(column++, line.input());
            findings.text(column++, line.target());
            findings.text(
                    column++, line.verdict() == null ? null : line.verdict().id());
            findings.text(column++, finding.part());
            findings.text(column++, finding.code());
            findings.text(column++, finding.level().id());
            findings.text(column++, summary.title(finding.part(), finding.code()));
            findings.text(column++, finding.message());
            findings.text(column, finding.action());
            findings.endRow();
        }
    }

    /** Completes the workbook. The output is flushed, but not closed. */
    public void finish() throws IOException {
        findings.end();
        Sheet sheet = new Sheet(workbook, "Summary", SUMMARY_COLUMNS);
        for (Map.Entry<String, Long> count : summary.counts().entrySet()) {
            summarize(sheet, "lines", new Occurrence(null, count.getKey(), null, null, count.getValue(), List.of()));
        }
        for (Occurrence finding : summary.findings()) {
            summarize(sheet, "finding", finding);
        }
        for (Occurrence error : summary.errors()) {
            summarize(sheet, "error", error);
        }
        sheet.end();
        workbook.finish();
    }

    private static void summarize(Sheet sheet, String kind, Occurrence counted) throws IOException {
        sheet.startRow();
        int column = 0;
        Level level = counted.level();
        sheet.text(column++, kind);
        sheet.text(column++, counted.part());
        sheet.text(column++, counted.code());
        sheet.text(column++, level == null ? null : level.id());
        sheet.text(column++, counted.title());
        sheet.number(column++, counted.count());
        sheet.text(
                column,
                counted.indexes().isEmpty()
                        ? null
                        : counted.indexes().stream().map(String::valueOf).collect(Collectors.joining(" ")));
        sheet.endRow();
    }

    /** A sheet with a header row. Its rows are written when they are complete. */
    private static final class Sheet {
        private final Worksheet sheet;
        private final int columns;
        private int row;

        Sheet(Workbook workbook, String name, List<String> header) {
            sheet = workbook.newWorksheet(name);
            columns = header.size();
            for (int i = 0; i < columns; i++) {
                text(i, header.get(i));
                int width = header.get(i).length() + BUTTON;
                sheet.width(i, WIDE_COLUMNS.contains(header.get(i)) ? WIDE : Math.max(NARROW, width));
            }
            sheet.range(0, 0, 0, columns - 1).style().bold().set();
            sheet.freezePane(0, 1);
        }

        /** Starts the next row. Returns false if the sheet is full; its last row says so. */
        boolean startRow() throws IOException {
            if (row == MAX_ROWS - 1) {
                return false;
            }
            row++;
            if (row == MAX_ROWS - 1) {
                text(0, TRUNCATED_SHEET);
                endRow();
                return false;
            }
            return true;
        }

        void set(int column, JsonNode value, boolean time) {
            if (value.isBoolean()) {
                sheet.value(row, column, value.booleanValue());
            } else if (value.isNumber()) {
                number(column, value);
            } else if (value.isTextual()) {
                Instant instant = time ? time(value.textValue()) : null;
                if (instant == null) {
                    text(column, value.textValue());
                } else {
                    sheet.value(row, column, instant);
                    sheet.style(row, column).format(TIME_FORMAT).set();
                }
            } else {
                text(column, value.toString());
            }
        }

        private void number(int column, JsonNode value) {
            if (value.isFloatingPointNumber() && Double.isFinite(value.doubleValue())) {
                sheet.value(row, column, value.doubleValue());
            } else if (value.canConvertToLong() && Math.abs(value.longValue()) <= MAX_INTEGER) {
                number(column, value.longValue());
            } else {
                text(column, value.asText());
            }
        }

        void number(int column, long value) {
            sheet.value(row, column, value);
        }

        /** Returns a time; null if it is not one that a spreadsheet can represent. */
        private static @Nullable Instant time(String text) {
            try {
                Instant time = Instant.parse(text);
                return time.isBefore(MIN_TIME) || time.isAfter(MAX_TIME) ? null : time;
            } catch (DateTimeException other) {
                return null;
            }
        }

        /** Writes a text, not a shared one: the library keeps shared texts until the end. */
        void text(int column, @Nullable String text) {
            if (text == null) {
                return;
            }
            String value =
                    ESCAPE_SEQUENCE.matcher(PrintableText.xml(truncate(text))).replaceAll("_x005F_");
            if (value.strip().length() == value.length()) {
                sheet.inlineString(row, column, value);
            } else {
                // the library preserves white space only in rich text
                sheet.inlineString(
                        row, column, RichText.builder().run(value).end().build());
            }
            if (SpreadsheetText.isFormula(value)) {
                // it remains text when a user edits the cell
                sheet.style(row, column).format(TEXT_FORMAT).set();
            }
        }

        private static String truncate(String text) {
            return text.length() <= MAX_CELL
                    ? text
                    : PrintableText.cut(text, MAX_CELL - TRUNCATED.length()) + TRUNCATED;
        }

        void endRow() throws IOException {
            sheet.flush();
        }

        void end() throws IOException {
            sheet.setAutoFilter(0, 0, row, columns - 1);
            sheet.finish();
        }
    }
}
