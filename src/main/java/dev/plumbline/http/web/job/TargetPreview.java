package dev.plumbline.http.web.job;

import com.google.common.base.Utf8;
import com.google.common.hash.Hashing;
import dev.plumbline.http.api.job.JobRequestSchema;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.input.JobName;
import dev.plumbline.input.TargetLines;
import dev.plumbline.input.TargetTable;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.PrintableText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The targets of a submitted list, before a job is created.
 *
 * @param columns the columns of CSV; empty if the list does not have columns
 * @param selection what is read as a target
 * @param lines the first targets, as many as a job can have
 * @param counts of these lines
 * @param defaultName the name of the job unless another one is given
 * @param digest identifies the tool and the targets
 * @param schema the rules for a job
 */
public record TargetPreview(
        List<TargetTable.CsvColumn> columns,
        TargetTable.Selection selection,
        TargetLines lines,
        TargetLines.Counts counts,
        String defaultName,
        String digest,
        JobRequestSchema schema) {
    private static final int MAX_INVALID = 5;
    private static final int MAX_TEXT_LENGTH = 60;

    /**
     * Reads the targets of a text. CPU-bound.
     *
     * @param csvFile whether the name of the file indicates CSV
     * @param selected null for the suggestion; ignored if the text does not have this column
     * @throws IllegalArgumentException if the text is not valid; the message is displayed
     */
    static TargetPreview of(
            String text,
            ModuleDescription tool,
            boolean csvFile,
            TargetTable.@Nullable Selection selected,
            JobRequestSchema schema) {
        TargetTable table = TargetTable.of(text, tool, csvFile);
        List<TargetTable.CsvColumn> columns = table.columns();
        TargetTable.Selection selection =
                selected == null || selected.column() > columns.size() ? table.suggested() : selected;
        TargetLines lines = table.read(selection, schema.maxItems());
        return new TargetPreview(
                columns,
                selection,
                lines,
                lines.counts(tool, MAX_INVALID),
                JobName.ofTargets(tool.title(), lines.total()),
                digest(tool, lines),
                schema);
    }

    private static String digest(ModuleDescription tool, TargetLines lines) {
        return Hashing.sha256()
                .hashString(tool.module() + '\n' + String.join("\n", lines.texts()), StandardCharsets.UTF_8)
                .toString();
    }

    /**
     * Whether the list contains what the user may not have intended. A list that a job rejects does not need a
     * confirmation.
     */
    boolean needsConfirmation() {
        boolean accepted = lines.texts().stream().allMatch(line -> Utf8.encodedLength(line) <= schema.maxItemBytes());
        return accepted
                && (counts.invalid() > 0
                        || counts.duplicates() > 0
                        || lines.empty() > 0
                        || selection.header()
                        || selection.column() > 0);
    }

    /** Whether the form asks which part of each line is the target. */
    public boolean selectable() {
        return !columns.isEmpty() || selection.header();
    }

    public boolean selected(TargetTable.CsvColumn column) {
        return selection.column() == column.number();
    }

    public boolean wholeLine() {
        return selection.column() == TargetTable.Selection.LINE;
    }

    /** The number and the header of a column, or its first cell. */
    public String label(TargetTable.CsvColumn column) {
        String first = shortened(column.first());
        return first.isEmpty()
                ? Integer.toString(column.number())
                : column.number() + (selection.header() ? ": " : ": for example ") + first;
    }

    /** The counts, or the number of lines over the maximum. */
    public String summary() {
        int max = schema.maxItems();
        return lines.total() <= max
                ? counts.summary()
                : String.format(
                        Locale.ROOT,
                        "%,d lines, %,d more than the maximum of %d per job",
                        lines.total(),
                        lines.total() - max,
                        max);
    }

    public boolean tooMany() {
        return lines.total() > schema.maxItems();
    }

    /** What happens to invalid lines, duplicates and empty cells; empty if there are none. */
    public List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (tooMany()) {
            return notes;
        }
        if (counts.invalid() > 0) {
            notes.add("Invalid lines end with an error.");
        }
        if (counts.duplicates() > 0) {
            notes.add("Duplicates are checked once. Each line has a result.");
        }
        if (lines.empty() > 0) {
            notes.add((lines.empty() == 1 ? "1 row has" : lines.empty() + " rows have")
                    + " no value in this column and " + (lines.empty() == 1 ? "is" : "are") + " ignored.");
        }
        return notes;
    }

    /** The number of invalid lines that are not listed. */
    public int otherInvalid() {
        return counts.invalid() - counts.firstInvalid().size();
    }

    /** A text as plain, visible characters, shortened. */
    public static String shortened(String text) {
        return DisplayText.plain(PrintableText.shorten(text, MAX_TEXT_LENGTH));
    }
}
