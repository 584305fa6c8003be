package dev.plumbline.http.web.job;

import com.google.common.base.Utf8;
import com.google.common.hash.Hashing;
import dev.plumbline.http.api.job.JobRequestSchema;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.input.JobName;
import dev.plumbline.input.TargetCounter;
import dev.plumbline.input.TargetLines;
import dev.plumbline.input.TargetTable;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.PrintableText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The targets of a submitted list, before jobs are created.
 *
 * @param columns the columns of CSV; empty if the list does not have columns
 * @param selection what is read as a target
 * @param column the label of the column that was read; null if whole lines were read
 * @param lines the first targets, as many as a job can have
 * @param text all targets, each followed by a line feed; empty if the list is too long
 * @param formBytes the size of all targets in a submitted form, whose line ends have two bytes
 * @param counts of all targets; zero if the list is too long
 * @param tooLong the first lines with too many bytes, by line number
 * @param defaultName the name of the job unless another one is given
 * @param digest identifies the tool and the targets
 * @param schema the rules for a job
 * @param maxJobs the maximum number of jobs that can be created in 60 minutes; 0 for no limit
 */
public record TargetPreview(
        List<TargetTable.CsvColumn> columns,
        TargetTable.Selection selection,
        @Nullable String column,
        TargetLines lines,
        String text,
        long formBytes,
        TargetLines.Counts counts,
        List<BulkForm.LineError> tooLong,
        String defaultName,
        String digest,
        JobRequestSchema schema,
        int maxJobs) {
    /** The targets without recognition of CSV. */
    static final TargetTable.Selection WHOLE_LINES = new TargetTable.Selection(TargetTable.Selection.LINE, false);

    private static final int MAX_INVALID = 5;
    private static final int MAX_ERRORS = 100;
    private static final int MAX_TEXT_LENGTH = 60;

    /**
     * Reads the targets of a text. CPU-bound.
     *
     * @param options the submitted options, which can determine the port of a target without port
     * @param csvFile whether the name of the file indicates CSV
     * @param selected null for the suggestion; ignored if the text does not have this column
     * @throws IllegalArgumentException if the text is not valid; the message is displayed
     */
    static TargetPreview of(
            String text,
            ModuleDescription tool,
            Map<String, String> options,
            boolean csvFile,
            TargetTable.@Nullable Selection selected,
            JobRequestSchema schema,
            int maxJobs) {
        TargetTable table = TargetTable.of(text, tool, csvFile);
        List<TargetTable.CsvColumn> columns = table.columns();
        TargetTable.Selection selection =
                selected == null || selected.column() > columns.size() ? table.suggested() : selected;
        TargetLines lines = table.read(selection, schema.maxItems());
        Options parsed = Options.parse(tool, options).options();
        TargetCounter counter = new TargetCounter(parsed == null ? tool : tool.targetRules(parsed), MAX_INVALID);
        StringBuilder all = new StringBuilder();
        long[] formBytes = new long[1];
        List<BulkForm.LineError> tooLong = new ArrayList<>();
        if (!exceeds(lines, schema, maxJobs)) {
            table.forEach(selection, line -> {
                if (!line.text().isEmpty()) {
                    counter.add(line);
                    all.append(line.text()).append('\n');
                    int bytes = Utf8.encodedLength(line.text());
                    formBytes[0] += bytes + 2;
                    if (tooLong.size() < MAX_ERRORS && bytes > schema.maxItemBytes()) {
                        tooLong.add(new BulkForm.LineError(line.number(), schema.tooLong()));
                    }
                }
            });
        }
        return new TargetPreview(
                columns,
                selection,
                columns.stream()
                        .filter(column -> column.number() == selection.column())
                        .findFirst()
                        .map(column -> label(selection, column))
                        .orElse(null),
                lines,
                all.toString(),
                formBytes[0],
                counter.counts(),
                tooLong,
                JobName.ofTargets(tool.title(), lines.total()),
                Hashing.sha256()
                        .hashString(tool.module() + '\n' + all, StandardCharsets.UTF_8)
                        .toString(),
                schema,
                maxJobs);
    }

    /** This preview of a list that was read from a column of another one. */
    TargetPreview ofColumn(@Nullable String label) {
        return new TargetPreview(
                columns,
                selection,
                label,
                lines,
                text,
                formBytes,
                counts,
                tooLong,
                defaultName,
                digest,
                schema,
                maxJobs);
    }

    private static boolean exceeds(TargetLines lines, JobRequestSchema schema, int maxJobs) {
        return maxJobs > 0 && schema.jobs(lines.total()) > maxJobs;
    }

    /** The number of jobs that the list makes. */
    public int jobs() {
        return schema.jobs(lines.total());
    }

    public String jobCount() {
        return String.format(Locale.ROOT, "%,d", jobs());
    }

    public String lineCount() {
        return String.format(Locale.ROOT, "%,d", lines.total());
    }

    /** Whether the list contains more targets than a job can have. */
    public boolean severalJobs() {
        return jobs() > 1;
    }

    /** Whether the list makes more jobs than can be created in 60 minutes. */
    public boolean tooMany() {
        return exceeds(lines, schema, maxJobs);
    }

    /**
     * Whether the list contains what the user may not have intended. A list that a job rejects does not need a
     * confirmation.
     */
    boolean needsConfirmation() {
        return tooLong.isEmpty()
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
        return label(selection, column);
    }

    private static String label(TargetTable.Selection selection, TargetTable.CsvColumn column) {
        String first = shortened(column.first());
        return first.isEmpty()
                ? Integer.toString(column.number())
                : column.number() + (selection.header() ? ": " : ": for example ") + first;
    }

    /** The counts, or why the list is too long. */
    public String summary() {
        return tooMany()
                ? String.format(
                        Locale.ROOT,
                        "%,d lines require %,d jobs, but at most %,d jobs with %,d lines can be created in 60 minutes",
                        lines.total(),
                        jobs(),
                        maxJobs,
                        (long) maxJobs * schema.maxItems())
                : counts.summary();
    }

    /** How many jobs a long list requires, and what happens to invalid lines, duplicates and empty cells. */
    public List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (tooMany()) {
            return notes;
        }
        if (severalJobs()) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%,d lines are split into %,d jobs, because a job can have up to %d lines.",
                    lines.total(),
                    jobs(),
                    schema.maxItems()));
        }
        if (counts.invalid() > 0) {
            notes.add("Invalid lines end with an error.");
        }
        if (counts.duplicates() > 0) {
            notes.add((severalJobs() ? "Duplicates in a job are" : "Duplicates are")
                    + " checked once. Each line has a result.");
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
