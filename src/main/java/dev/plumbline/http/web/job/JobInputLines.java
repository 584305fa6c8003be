package dev.plumbline.http.web.job;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.plumbline.http.body.FormBody;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The submitted lines of a job, from the text area or a file, without blank lines.
 *
 * @param typed the content of the text area
 * @param lines stripped
 */
record JobInputLines(String typed, List<Line> lines) {
    private static final List<Character> SEPARATORS = List.of(',', ';', '\t');
    private static final char BYTE_ORDER_MARK = '\ufeff';

    /** @param number the line number in the source, from 1 */
    record Line(int number, String text) {}

    static JobInputLines of(String text) {
        List<Line> lines = new ArrayList<>();
        int number = 0;
        for (String line : text.split("\r\n|\n|\r", -1)) {
            number++;
            String stripped = line.strip();
            if (!stripped.isEmpty()) {
                lines.add(new Line(number, stripped));
            }
        }
        return new JobInputLines(text, List.copyOf(lines));
    }

    /**
     * The lines of a text file, or the cells in a column of a CSV file.
     *
     * @param column of a CSV file, from 1
     * @param headerRow whether the first record of a CSV file is ignored
     * @throws IllegalArgumentException if the file is not valid; the message is displayed
     */
    static JobInputLines of(FormBody.File file, int column, boolean headerRow) {
        String content = text(file.content());
        String name = file.name().toLowerCase(Locale.ROOT);
        return of(name.endsWith(".csv") ? column(content, column, headerRow) : content);
    }

    private static String text(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("The file is not UTF-8 text. Save it as .txt or .csv in UTF-8.");
        }
        return !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
    }

    private static String column(String csv, int column, boolean headerRow) {
        StringBuilder cells = new StringBuilder();
        boolean found = false;
        try (CsvReader<CsvRecord> reader =
                CsvReader.builder().fieldSeparator(separator(csv)).ofCsvRecord(csv)) {
            boolean first = headerRow;
            for (CsvRecord row : reader) {
                if (!first && row.getFieldCount() >= column) {
                    found = true;
                    cells.append(row.getField(column - 1).replaceAll("[\r\n]+", " "))
                            .append('\n');
                }
                first = false;
            }
        } catch (CsvParseException e) {
            throw new IllegalArgumentException(
                    "The file is not valid CSV: a quotation mark is not closed or a record is too long.", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!found) {
            throw new IllegalArgumentException("The file does not have a column " + column + '.');
        }
        return cells.toString();
    }

    /** The most frequent separator in the first line; a comma if there is none. */
    private static char separator(String csv) {
        int end = csv.indexOf('\n');
        String first = end < 0 ? csv : csv.substring(0, end);
        return Collections.max(SEPARATORS, Comparator.comparingLong(separator -> first.chars()
                .filter(c -> c == separator)
                .count()));
    }

    List<String> texts() {
        return lines.stream().map(Line::text).toList();
    }
}
