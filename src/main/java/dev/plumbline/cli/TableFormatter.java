package dev.plumbline.cli;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Formats rows as aligned columns. */
final class TableFormatter {
    private static final String GAP = "  ";

    private final List<String[]> rows = new ArrayList<>();

    TableFormatter(String... heads) {
        rows.add(heads);
    }

    void row(String... cells) {
        rows.add(cells);
    }

    /** A time in seconds; "-" for null. */
    static String time(@Nullable Instant time) {
        return time == null ? "-" : time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    @Override
    public String toString() {
        int[] widths = new int[rows.get(0).length];
        for (String[] row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], length(row[i]));
            }
        }
        StringBuilder text = new StringBuilder();
        for (String[] row : rows) {
            for (int i = 0; i < widths.length; i++) {
                text.append(row[i]);
                if (i < widths.length - 1) {
                    text.append(" ".repeat(widths[i] - length(row[i]))).append(GAP);
                }
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static int length(String cell) {
        return cell.codePointCount(0, cell.length());
    }
}
