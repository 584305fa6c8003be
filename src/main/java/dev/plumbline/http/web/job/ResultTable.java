package dev.plumbline.http.web.job;

import com.google.common.base.Strings;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.http.web.layout.Labels;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.report.FieldValueView;
import dev.plumbline.result.QuantityText;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.target.PrintableText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One page of the filtered and sorted lines of a job.
 *
 * @param lines of this page
 * @param matches the number of lines that match the filter
 * @param page from 1
 * @param pages at least 1
 */
public record ResultTable(Filter filter, List<Column> columns, List<Line> lines, int matches, int page, int pages) {
    static final int PAGE_LINES = 50;

    private static final int MAX_QUERY_LENGTH = 200;
    private static final int MAX_LIST_LENGTH = 48;
    private static final List<String> VERDICTS = List.of("pass", "warn", "fail", "error");
    private static final List<String> SEVERITY = List.of("error", "fail", "warn", "pass");
    private static final String UNFINISHED = "unfinished";

    /**
     * The query of the page.
     *
     * @param verdict a verdict, {@code unfinished} for lines without a result, or empty for all lines
     * @param query text that a line must contain; empty for any
     * @param sort the name of a column; empty for input order
     * @param page from 1
     */
    public record Filter(String verdict, String query, String sort, boolean descending, int page) {

        /** Reads the filter from query parameters. Invalid values are ignored. */
        static Filter of(Function<String, @Nullable String> parameter) {
            String verdict = Strings.nullToEmpty(parameter.apply("verdict"));
            String query = Strings.nullToEmpty(parameter.apply("q")).strip();
            String page = Strings.nullToEmpty(parameter.apply("page"));
            return new Filter(
                    VERDICTS.contains(verdict) || verdict.equals(UNFINISHED) ? verdict : "",
                    PrintableText.cut(query, MAX_QUERY_LENGTH),
                    Strings.nullToEmpty(parameter.apply("sort")),
                    Strings.nullToEmpty(parameter.apply("dir")).equals("desc"),
                    page.matches("[1-9][0-9]{0,3}") ? Integer.parseInt(page) : 1);
        }

        Filter at(int otherPage) {
            return new Filter(verdict, query, sort, descending, otherPage);
        }

        Filter sorted(String column, boolean descendingOrder) {
            return new Filter(verdict, query, column, descendingOrder, 1);
        }

        public String link() {
            Map<String, String> parameters = new LinkedHashMap<>();
            parameters.put("verdict", verdict);
            parameters.put("q", query);
            parameters.put("sort", sort);
            parameters.put("dir", descending ? "desc" : "");
            parameters.put("page", page > 1 ? Integer.toString(page) : "");
            parameters.values().removeIf(String::isEmpty);
            return Links.query(parameters);
        }

        public boolean active() {
            return !verdict.isEmpty() || !query.isEmpty();
        }
    }

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

    static ResultTable of(List<ResultRow> rows, Filter requested, ResultColumns fields) {
        Comparator<ResultRow> order = order(requested, fields);
        Filter filter = order == null ? requested.sorted("", false).at(requested.page) : requested;
        String text = filter.query.toLowerCase(Locale.ROOT);
        List<ResultRow> matches = new ArrayList<>(rows.stream()
                .filter(row -> matches(row, filter.verdict))
                .filter(row -> text.isEmpty() || row.contains(text))
                .toList());
        if (order != null) {
            matches.sort(order);
        }
        int pages = Math.max(1, (matches.size() + PAGE_LINES - 1) / PAGE_LINES);
        int page = Math.min(filter.page, pages);
        List<Line> lines = matches.stream()
                .skip((page - 1L) * PAGE_LINES)
                .limit(PAGE_LINES)
                .map(row -> line(row, fields))
                .toList();
        return new ResultTable(filter, columns(filter, fields), lines, matches.size(), page, pages);
    }

    private static boolean matches(ResultRow row, String verdict) {
        return verdict.isEmpty()
                || (verdict.equals(UNFINISHED) ? row.verdict() == null : verdict.equals(row.verdict()));
    }

    private static @Nullable Comparator<ResultRow> order(Filter filter, ResultColumns fields) {
        boolean down = filter.descending;
        return switch (filter.sort) {
            case "" -> down ? by(ResultRow::index, true) : null;
            case "input" -> by(ResultRow::input, down);
            case "verdict" -> by(row -> row.verdict() == null ? null : SEVERITY.indexOf(row.verdict()), down);
            case "duration" -> by(ResultRow::durationMs, down);
            default ->
                fields.shown().stream().anyMatch(field -> field.name().equals(filter.sort))
                        ? by(row -> row.fields().get(filter.sort), down)
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

    private static List<Column> columns(Filter filter, ResultColumns fields) {
        List<Column> columns = new ArrayList<>();
        columns.add(column("#", "", filter));
        columns.add(column("Verdict", "verdict", filter));
        columns.add(column("Input", "input", filter));
        for (FieldDescription field : fields.shown()) {
            columns.add(column(field.title(), field.name(), filter));
        }
        columns.add(column("Duration", "duration", filter));
        return columns;
    }

    private static Column column(String title, String name, Filter filter) {
        boolean sorted = filter.sort.equals(name);
        String order = sorted ? (filter.descending ? "descending" : "ascending") : null;
        boolean descending = sorted && !filter.descending;
        return new Column(title, order, filter.sorted(name, descending).link());
    }

    private static Line line(ResultRow row, ResultColumns fields) {
        return new Line(
                row.index() + 1,
                DisplayText.of(row.input()),
                row.verdict(),
                row.state(),
                fields.shown().stream()
                        .map(field ->
                                new Cell(field.title(), cell(field, row.fields().get(field.name()))))
                        .toList(),
                row.message() == null ? null : DisplayText.markdown(row.message()),
                row.durationMs() == null || row.target() == null ? "" : QuantityText.milliseconds(row.durationMs()));
    }

    private static DisplayValue cell(FieldDescription field, @Nullable Object value) {
        if (value == null) {
            return new DisplayValue.Missing(null);
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

    /** The labels of the verdict filter, by value. */
    public Map<String, String> verdictOptions() {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("", "All lines");
        VERDICTS.forEach(verdict -> options.put(verdict, Labels.verdict(verdict)));
        options.put(UNFINISHED, "Unfinished");
        return options;
    }

    /** The query string of the previous page, or null. */
    public @Nullable String previous() {
        return page > 1 ? filter.at(page - 1).link() : null;
    }

    /** The query string of the next page, or null. */
    public @Nullable String next() {
        return page < pages ? filter.at(page + 1).link() : null;
    }
}
