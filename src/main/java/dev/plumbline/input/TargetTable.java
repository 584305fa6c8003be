package dev.plumbline.input;

import de.siegmar.fastcsv.reader.CommentStrategy;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.plumbline.sheet.ModuleDescription;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Text with targets: one per line, or CSV (RFC 4180) with commas, semicolons or tabs. Blank lines and lines that start
 * with {@code #} are ignored.
 *
 * <p>The text is recognized as CSV if a column contains more targets than the lines, or equally many and the file name
 * or a header indicates CSV. Only the first {@value #SAMPLE} records are examined. Separators alone do not identify
 * CSV, because URLs contain commas and semicolons.
 */
public final class TargetTable {
    private static final int SAMPLE = 100;
    private static final int MAX_COLUMNS = 100;
    private static final List<Character> SEPARATORS = List.of(',', ';', '\t');
    private static final char BYTE_ORDER_MARK = '\ufeff';
    private static final char COMMENT = '#';

    /** A record that is appended to the text. */
    private static final String END = "\0end";

    /** The share of records with the same number of fields, in percent. */
    private static final int MIN_EQUAL_RECORDS = 80;

    /** Headers of a text with one column. Other texts in the first line can be mistyped targets. */
    private static final Set<String> HEADERS = Set.of(
            "url urls uri link website site domain domains host hosts hostname target targets address ip email mail"
                    .split(" "));

    private final String text;
    private final @Nullable Csv csv;
    private final Selection suggested;

    /**
     * What is read as a target.
     *
     * @param column the number of a column from 1, or {@link #LINE}
     * @param header whether the first record is not a target
     */
    public record Selection(int column, boolean header) {
        public static final int LINE = 0;
    }

    /**
     * A column of the CSV.
     *
     * @param number from 1
     * @param first its cell in the first record
     */
    public record CsvColumn(int number, String first) {}

    private TargetTable(String text, @Nullable Csv csv, Selection suggested) {
        this.text = text;
        this.csv = csv;
        this.suggested = suggested;
    }

    /**
     * Recognizes the format of a text. CPU-bound.
     *
     * @param module null if the module is not known
     * @param csvFile whether the name of the file indicates CSV
     */
    public static TargetTable of(String text, @Nullable ModuleDescription module, boolean csvFile) {
        String content = !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
        TargetCellFilter targets = new TargetCellFilter(module);
        List<String> lines =
                lines(content).limit(SAMPLE).map(TargetLines.Line::text).toList();
        String first = lines.isEmpty() ? "" : lines.get(0);
        Csv csv = SEPARATORS.stream()
                .map(separator -> Csv.of(content, separator, targets))
                .filter(candidate -> candidate.width > 1 || candidate.width == 1 && first.startsWith("\""))
                .max(Comparator.<Csv>comparingInt(candidate -> candidate.hits)
                        .thenComparingInt(candidate -> candidate.width))
                .orElse(null);
        long lineHits = lines.stream().filter(targets::isTarget).count();
        if (csv != null && (csv.hits > lineHits || csv.hits == lineHits && (csvFile || csv.header))) {
            return new TargetTable(content, csv, new Selection(csv.column, csv.header));
        }
        boolean header = lineHits > 0
                && !targets.isTarget(first)
                && (csvFile || HEADERS.contains(first.toLowerCase(Locale.ROOT)));
        return new TargetTable(content, csv, new Selection(Selection.LINE, header));
    }

    /**
     * The text as CSV with one separator.
     *
     * @param sample the first records
     * @param width the number of columns; 0 if the records have different numbers of fields
     * @param column the column with the most targets, from 1
     * @param hits the number of targets in this column
     * @param header whether the first record has no target, but this column has targets
     */
    private record Csv(char separator, List<CsvRecord> sample, int width, int column, int hits, boolean header) {
        static Csv of(String text, char separator, TargetCellFilter targets) {
            List<CsvRecord> sample = readSample(text, separator);
            int width = Math.min(MAX_COLUMNS, commonWidth(sample));
            int column = 1;
            int hits = 0;
            boolean header = true;
            for (int i = 1; i <= width; i++) {
                int number = i;
                int found = (int) sample.stream()
                        .filter(row -> targets.isTarget(cell(row, number)))
                        .count();
                if (found > hits) {
                    column = i;
                    hits = found;
                }
                header &= !targets.isTarget(cell(sample.get(0), i));
            }
            return new Csv(separator, sample, width, column, hits, header && hits > 0);
        }

        private static int commonWidth(List<CsvRecord> sample) {
            Map<Integer, Long> widths =
                    sample.stream().collect(Collectors.groupingBy(CsvRecord::getFieldCount, Collectors.counting()));
            return widths.entrySet().stream()
                    .filter(width -> 100 * width.getValue() >= (long) MIN_EQUAL_RECORDS * sample.size())
                    .map(Map.Entry::getKey)
                    .findAny()
                    .orElse(0);
        }
    }

    private static List<CsvRecord> readSample(String text, char separator) {
        try (CsvReader<CsvRecord> reader = reader(text, separator)) {
            return reader.stream().limit(SAMPLE).toList();
        } catch (CsvParseException tooLong) {
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static CsvReader<CsvRecord> reader(String text, char separator) {
        return CsvReader.builder()
                .fieldSeparator(separator)
                .commentStrategy(CommentStrategy.SKIP)
                .commentCharacter(COMMENT)
                .ofCsvRecord(text);
    }

    /** The cell in one line, without spaces around it; empty if the record is too short. */
    private static String cell(CsvRecord row, int column) {
        return row.getFieldCount() < column
                ? ""
                : row.getField(column - 1).replaceAll("[\r\n]+", " ").strip();
    }

    /** The columns, at most {@value #MAX_COLUMNS}; empty if the text does not have columns. */
    public List<CsvColumn> columns() {
        return csv == null
                ? List.of()
                : IntStream.rangeClosed(1, csv.width)
                        .mapToObj(number -> new CsvColumn(number, cell(csv.sample.get(0), number)))
                        .toList();
    }

    /** The part of the text that probably contains the targets. */
    public Selection suggested() {
        return suggested;
    }

    /**
     * Finds a column by its header, without regard to case, or by its number from 1.
     *
     * @return null if the column does not exist
     */
    public @Nullable Selection find(String column) {
        for (CsvColumn one : columns()) {
            if (one.first.equalsIgnoreCase(column.strip())) {
                return new Selection(one.number, true);
            }
        }
        return csv != null && column.matches("[1-9][0-9]{0,3}") && Integer.parseInt(column) <= csv.width
                ? new Selection(Integer.parseInt(column), csv.header)
                : null;
    }

    private static Stream<TargetLines.Line> lines(String text) {
        int[] number = new int[1];
        return text.lines()
                .map(line -> new TargetLines.Line(++number[0], line.strip()))
                .filter(line -> !line.text().isEmpty() && line.text().charAt(0) != COMMENT);
    }

    /**
     * Returns the selected targets.
     *
     * @param max further targets are counted but not returned
     * @throws IllegalArgumentException if the text is not valid CSV; the message is displayed
     */
    public TargetLines read(Selection selection, int max) {
        TargetLines.Builder lines = new TargetLines.Builder(max);
        forEach(selection, lines::add);
        return lines.build();
    }

    /**
     * Passes the selected targets to a consumer, also the empty texts of records without a value.
     *
     * @throws IllegalArgumentException as {@link #read}; the consumer can have received targets
     */
    public void forEach(Selection selection, Consumer<TargetLines.Line> consumer) {
        if (csv == null || selection.column == Selection.LINE) {
            lines(text).skip(selection.header ? 1 : 0).forEach(consumer);
            return;
        }
        // the parser does not report an open quotation mark; its field contains the rest of the text and this record
        boolean closed = false;
        try (CsvReader<CsvRecord> reader = reader(text + "\n" + END, csv.separator)) {
            boolean header = selection.header;
            for (CsvRecord row : reader) {
                closed = row.getFieldCount() == 1 && row.getField(0).equals(END);
                if (!header && !closed) {
                    consumer.accept(
                            new TargetLines.Line((int) row.getStartingLineNumber(), cell(row, selection.column)));
                }
                header = false;
            }
        } catch (CsvParseException tooLong) {
            throw invalid(tooLong);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!closed) {
            throw invalid(null);
        }
    }

    private static IllegalArgumentException invalid(@Nullable Exception cause) {
        return new IllegalArgumentException(
                "The list is not valid CSV: a quotation mark is not closed, or a record is too long.", cause);
    }
}
