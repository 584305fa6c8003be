package dev.plumbline.cli;

import dev.plumbline.cli.report.TerminalText;
import dev.plumbline.input.TargetLines;
import dev.plumbline.input.TargetTable;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.PrintableText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The targets of new jobs: the arguments, then the URLs of a sitemap, then those of a file, one per line or in a column
 * of CSV. They are counted before a job is created, so the file is kept in memory.
 *
 * @param module null if this program does not know the module of the service
 */
record JobInput(@Nullable ModuleDescription module) {
    private static final int MAX_BYTES = 32 << 20;
    private static final int MAX_INVALID = 5;
    private static final int MAX_TEXT_LENGTH = 61;

    /**
     * Reads the targets, and prints on stderr which column they are in and how many are valid.
     *
     * @param sitemap the URLs of {@code --sitemap}
     * @param input a file, {@link TargetReader#STDIN}, or null without a file
     * @param column a column of CSV by its header or number; null for the column with the most targets
     * @throws CommandException if the column does not exist or the file is too large
     */
    List<String> read(List<String> arguments, List<String> sitemap, @Nullable String input, @Nullable String column)
            throws CommandException, IOException {
        List<TargetLines.Line> lines = new ArrayList<>();
        Stream.concat(arguments.stream(), sitemap.stream()).forEach(text -> lines.add(new TargetLines.Line(0, text)));
        if (input != null) {
            lines.addAll(read(text(input), input, column).lines());
        } else if (column != null) {
            throw new CommandException(
                    "--column '" + shortened(column) + "' is given without a file. Add --input FILE.");
        }
        TargetLines all = new TargetLines(List.copyOf(lines), lines.size(), 0);
        if (module != null && !lines.isEmpty()) {
            TargetLines.Counts counts = all.counts(module, MAX_INVALID);
            if (input != null || !sitemap.isEmpty() || counts.valid() < lines.size()) {
                print(counts);
            }
        }
        return all.texts();
    }

    private static String text(String input) throws CommandException, IOException {
        byte[] bytes;
        if (input.equals(TargetReader.STDIN)) {
            bytes = System.in.readNBytes(MAX_BYTES + 1);
        } else {
            try (InputStream file = TargetReader.open(Path.of(input))) {
                bytes = file.readNBytes(MAX_BYTES + 1);
            }
        }
        if (bytes.length > MAX_BYTES) {
            throw new CommandException("The input is larger than 32 MiB. Split it into several files.");
        }
        // replaces malformed bytes, because only the targets must be readable
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static TargetTable.Selection select(TargetTable table, String column) throws CommandException {
        TargetTable.Selection selection = table.find(column);
        if (selection != null) {
            return selection;
        }
        List<TargetTable.CsvColumn> columns = table.columns();
        String shown = shortened(column);
        throw new CommandException(
                columns.isEmpty()
                        ? "The input is not CSV, so column '" + shown + "' does not exist. Remove --column."
                        : "Column '" + shown + "' does not exist. Set --column to one of: "
                                + columns.stream()
                                        .map(one -> shortened(one.first()))
                                        .collect(Collectors.joining(", "))
                                + ".");
    }

    private TargetLines read(String text, String input, @Nullable String column) throws CommandException {
        TargetTable table =
                TargetTable.of(text, module, input.toLowerCase(Locale.ROOT).endsWith(".csv"));
        TargetTable.Selection selection = column == null ? table.suggested() : select(table, column);
        TargetLines lines;
        try {
            lines = table.read(selection, Integer.MAX_VALUE);
        } catch (IllegalArgumentException invalid) {
            throw new CommandException(ExceptionMessage.of(invalid));
        }
        List<TargetTable.CsvColumn> columns = table.columns();
        if (selection.column() != TargetTable.Selection.LINE) {
            String header = selection.header()
                    ? " '" + shortened(columns.get(selection.column() - 1).first()) + "'"
                    : "";
            StandardError.println("CSV: column %d of %d%s.%s%s"
                    .formatted(
                            selection.column(),
                            columns.size(),
                            header,
                            column == null ? " --column selects another one." : "",
                            lines.empty() == 0 ? "" : " Rows without a value: " + lines.empty() + "."));
        }
        return lines;
    }

    private static void print(TargetLines.Counts counts) {
        StandardError.println(counts.summary());
        for (TargetLines.InvalidLine invalid : counts.firstInvalid()) {
            int number = invalid.line().number();
            StandardError.println("Invalid: " + (number == 0 ? "" : "line " + number + ", ") + "'"
                    + shortened(invalid.line().text()) + "': " + TerminalText.sanitize(invalid.reason()));
        }
    }

    private static String shortened(String text) {
        return TerminalText.sanitize(PrintableText.shorten(text, MAX_TEXT_LENGTH));
    }
}
