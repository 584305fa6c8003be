package dev.plumbline.http.web.job;

import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.http.web.layout.Labels;
import dev.plumbline.http.web.report.FieldValueView;
import dev.plumbline.portfolio.LineFilter;
import dev.plumbline.result.QuantityText;
import dev.plumbline.sheet.FieldDescription;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One page of the selected and sorted lines of a job.
 *
 * @param query of this page
 * @param graded whether the columns are the grades of the areas of a composite
 * @param lines of this page
 * @param matches the number of lines that match the filter
 * @param first the position of the first line of this page, from 0
 * @param previous the query of the previous page; null on the first page
 * @param next the query of the next page; null on the last page
 */
public record ResultTable(
        LineQuery query,
        boolean graded,
        List<Column> columns,
        List<Line> lines,
        int matches,
        int first,
        @Nullable LineQuery previous,
        @Nullable LineQuery next) {
    public static final int PAGE_LINES = 50;

    private static final int MAX_LIST_LENGTH = 48;

    /** The name of the column in CSV files. No module has a field with this name. */
    private static final String RULES_MET = "policy_met_count";

    private static final String RULES_MET_TITLE = "Rules met";

    /** Lines without a result are last. */
    private static final List<String> SEVERITY = List.of("error", "fail", "warn", "pass", "");

    /**
     * @param order {@code ascending}, {@code descending}, or null if the lines are sorted by another column
     * @param link the query string that sorts by this column
     */
    public record Column(String title, @Nullable String order, String link) {}

    /** @param title of the column */
    public record Cell(String title, DisplayValue value) {}

    /**
     * @param number from 1
     * @param state displayed if the verdict is null
     * @param message or null
     * @param duration empty if no check ran
     */
    public record Line(
            int number,
            DisplayText input,
            @Nullable String verdict,
            String state,
            List<Cell> cells,
            @Nullable DisplayText message,
            String duration) {

        public String path(JobSummary job) {
            return job.linePath(number - 1);
        }

        public String label() {
            return verdict == null ? state : Labels.verdict(verdict);
        }
    }

    /** @param requested a valid query */
    static ResultTable of(List<ResultRow> rows, LineQuery requested, ResultColumns fields) {
        boolean evaluated = rows.stream().anyMatch(row -> row.policy() != null);
        Comparator<ResultRow> order = order(requested, fields);
        LineQuery query = order == null ? requested.sorted("", false).at(requested.first()) : requested;
        LineFilter filter = query.selection().lineFilter();
        List<ResultRow> matches =
                new ArrayList<>(rows.stream().filter(row -> row.matches(filter)).toList());
        if (order != null) {
            matches.sort(order);
        }
        int pageLines = query.unpaged() ? Math.max(1, matches.size()) : PAGE_LINES;
        int cursor = query.unpaged() ? 0 : query.first();
        long before = order == null
                ? matches.stream().filter(row -> row.index() < cursor).count()
                : cursor;
        int last = Math.max(0, matches.size() - 1) / pageLines * pageLines;
        int first = before < matches.size() ? (int) before : last;
        int end = first + pageLines;
        return new ResultTable(
                query,
                fields.graded(),
                columns(query, fields, evaluated),
                matches.stream()
                        .skip(first)
                        .limit(pageLines)
                        .map(row -> line(row, fields, evaluated))
                        .toList(),
                matches.size(),
                first,
                first > 0 ? at(query, matches, Math.max(0, first - PAGE_LINES), order == null) : null,
                end < matches.size() ? at(query, matches, end, order == null) : null);
    }

    /** The query of the page that starts at a position. */
    private static LineQuery at(LineQuery query, List<ResultRow> matches, int position, boolean byIndex) {
        return query.at(position > 0 && byIndex ? matches.get(position).index() : position);
    }

    private static @Nullable Comparator<ResultRow> order(LineQuery query, ResultColumns fields) {
        boolean down = query.descending();
        return switch (query.sort()) {
            case "" -> down ? by(ResultRow::index, true) : null;
            case "input" -> by(row -> row.line().input(), down);
            case "verdict" -> by(row -> SEVERITY.indexOf(row.verdict() == null ? "" : row.verdict()), down);
            case "duration" -> by(ResultRow::durationMs, down);
            case RULES_MET ->
                by(row -> row.policy() == null ? null : row.policy().share(), down);
            default ->
                fields.shown().stream().anyMatch(field -> field.name().equals(query.sort()))
                        ? by(
                                row -> row.field(fields.graded() ? ResultColumns.scoreOf(query.sort()) : query.sort()),
                                down)
                        : null;
        };
    }

    /** Numeric order for numbers, lexicographic order for strings and times. Nulls are last in both directions. */
    private static Comparator<ResultRow> by(Function<ResultRow, @Nullable Object> value, boolean descending) {
        return (a, b) -> {
            Object left = value.apply(a);
            Object right = value.apply(b);
            if (left == null || right == null) {
                return left == right ? 0 : left == null ? 1 : -1;
            }
            int order = left instanceof Number x && right instanceof Number y
                    ? Double.compare(x.doubleValue(), y.doubleValue())
                    : left.toString().compareTo(right.toString());
            return descending ? -order : order;
        };
    }

    private static List<Column> columns(LineQuery query, ResultColumns fields, boolean evaluated) {
        List<Column> columns = new ArrayList<>();
        columns.add(column("#", "", query));
        columns.add(column("Verdict", "verdict", query));
        columns.add(column("Input", "input", query));
        if (evaluated) {
            columns.add(column(RULES_MET_TITLE, RULES_MET, query));
        }
        for (FieldDescription field : fields.shown()) {
            columns.add(column(field.title(), field.name(), query));
        }
        columns.add(column("Duration", "duration", query));
        return columns;
    }

    private static Column column(String title, String name, LineQuery query) {
        boolean sorted = query.sort().equals(name);
        String order = sorted ? (query.descending() ? "descending" : "ascending") : null;
        boolean descending = sorted && !query.descending();
        return new Column(title, order, query.sorted(name, descending).link());
    }

    private static Line line(ResultRow row, ResultColumns fields, boolean evaluated) {
        List<Cell> cells = new ArrayList<>();
        if (evaluated) {
            cells.add(new Cell(
                    RULES_MET_TITLE,
                    row.policy() == null
                            ? new DisplayValue.Missing(null)
                            : new DisplayValue.PlainText(
                                    DisplayText.of(row.policy().text()), false)));
        }
        fields.shown().forEach(field -> cells.add(new Cell(field.title(), cell(row, field, fields.graded()))));
        return new Line(
                row.index() + 1,
                DisplayText.of(row.line().input()),
                row.verdict(),
                row.line().state(),
                cells,
                row.message() == null ? null : DisplayText.markdown(row.message()),
                row.durationMs() == null || row.line().target() == null
                        ? ""
                        : QuantityText.milliseconds(row.durationMs()));
    }

    private static DisplayValue cell(ResultRow row, FieldDescription field, boolean graded) {
        Object value = row.field(field.name());
        if (value == null) {
            return new DisplayValue.Missing(null);
        }
        if (graded) {
            Object score = row.field(ResultColumns.scoreOf(field.name()));
            return new DisplayValue.Grade(value.toString(), score instanceof Long number ? number : null);
        }
        if (!(value instanceof List<?> items)) {
            return FieldValueView.of(field, value);
        }
        StringBuilder text = new StringBuilder();
        for (Object item : items) {
            String next = (text.isEmpty() ? "" : ", ") + item;
            if (text.length() + next.length() > MAX_LIST_LENGTH) {
                text.append(text.isEmpty() ? next.substring(0, MAX_LIST_LENGTH) : ", ")
                        .append('\u2026');
                break;
            }
            text.append(next);
        }
        return text.isEmpty()
                ? new DisplayValue.Items(List.of())
                : new DisplayValue.PlainText(DisplayText.of(text.toString()), false);
    }

    /** Whether the selected lines have more than one page, unless the query is for all of them. */
    public boolean paged() {
        return matches > PAGE_LINES;
    }

    /** The lines of this page, for example {@code Lines 51 to 100 of 480}. */
    public String range() {
        return "Lines " + (first + 1) + " to " + (first + lines.size()) + " of " + matches;
    }
}
