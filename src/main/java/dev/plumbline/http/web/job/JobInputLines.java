package dev.plumbline.http.web.job;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.plumbline.http.body.UploadForm;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The lines that somebody wants to have checked: what they have typed, or what the file holds that
 * they chose. Blank ones are left out.
 *
 * @param typed as it stands in the form
 * @param lines without the blanks around them
 */
record JobInputLines(String typed, List<Line> lines) {
    private static final List<Character> SEPARATORS = List.of(',', ';', '\t');
    private static final char BYTE_ORDER_MARK = '\ufeff';

    /**
     * One of them.
     *
     * @param number where it is found, from 1
     */
    record Line(int number, String text) {}

    /** Those of a text, one a line. */
    static JobInputLines of(String text) {
        List<Line> lines = new ArrayList<>();
        int number = 0;
        for (String line : text.split("\r\n|\n|\r", -1)) {
            number++;
            String plain = line.strip();
            if (!plain.isEmpty()) {
                lines.add(new Line(number, plain));
            }
        }
        return new JobInputLines(text, List.copyOf(lines));
    }

    /**
     * Those of a file.
     *
     * @param column of a CSV file, from 1
     * @param heading whether the first record of a CSV file is none
     * @throws IllegalArgumentException when the file cannot be read; its message is for people
     */
    static JobInputLines of(UploadForm.File file, int column, boolean heading) {
        String content = text(file.content());
        String name = file.name().toLowerCase(Locale.ROOT);
        return of(name.endsWith(".csv") ? column(content, column, heading) : content);
    }

    private static String text(byte[] bytes) {
        for (byte b : bytes) {
            if (b == 0) {
                throw new IllegalArgumentException("The file is not text in UTF-8; save it as .txt or .csv, in UTF-8.");
            }
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        return !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
    }

    /** The cells of a column, one a line. */
    private static String column(String csv, int column, boolean heading) {
        StringBuilder cells = new StringBuilder();
        boolean found = false;
        try (CsvReader<CsvRecord> reader =
                CsvReader.builder().fieldSeparator(separator(csv)).ofCsvRecord(csv)) {
            boolean first = heading;
            for (CsvRecord row : reader) {
                if (!first && row.getFieldCount() >= column) {
                    found = true;
                    cells.append(row.getField(column - 1).replaceAll("[\r\n]+", " "))
                            .append('\n');
                }
                first = false;
            }
        } catch (CsvParseException broken) {
            throw new IllegalArgumentException(
                    "The file is not CSV: a quotation mark is open, or a record is endless.", broken);
        } catch (java.io.IOException impossible) {
            throw new java.io.UncheckedIOException(impossible);
        }
        if (!found) {
            throw new IllegalArgumentException("The file has no column " + column + '.');
        }
        return cells.toString();
    }

    /** What stands between the cells of the first line: the one that is there most often. */
    private static char separator(String csv) {
        int end = csv.indexOf('\n');
        String first = end < 0 ? csv : csv.substring(0, end);
        char best = ',';
        long most = 0;
        for (char separator : SEPARATORS) {
            long count = first.chars().filter(c -> c == separator).count();
            if (count > most) {
                most = count;
                best = separator;
            }
        }
        return best;
    }

    List<String> texts() {
        return lines.stream().map(Line::text).toList();
    }

    /** As they stand in the form when it is shown again. */
    String shown() {
        return typed.strip();
    }
}
