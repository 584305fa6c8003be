package dev.plumbline.http.web.job;

import dev.plumbline.check.FieldDescription;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.ValueFormat;
import dev.plumbline.http.web.report.DisplayValue;
import dev.plumbline.http.web.report.FieldValueView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A part of a job's lines: those that fit the filter, in an order, one page of them.
 *
 * @param wish what was asked for
 * @param columns their headings
 * @param lines of this page
 * @param found how many lines fit the filter
 * @param page from 1
 * @param pages at least 1
 */
public record ResultTable(Filter wish, List<Column> columns, List<Line> lines, int found, int page, int pages) {
    static final int PAGE_LINES = 50;

    private static final int LONGEST_QUERY = 200;
    private static final int LONGEST_LIST = 48;
    private static final List<String> VERDICTS = List.of("pass", "warn", "fail", "error");
    private static final List<String> GRAVITY = List.of("error", "fail", "warn", "pass");
    private static final String OPEN = "open";

    /**
     * What of the lines is wanted, and in which order.
     *
     * @param verdict one of the verdicts, {@code open} for lines without one, or empty for all
     * @param query what a line must have in it; empty for anything
     * @param sort a column; empty for the order of the input
     * @param page from 1
     */
    public record Filter(String verdict, String query, String sort, boolean down, int page) {

        /** What the parameters of a request say, as far as it makes sense. */
        static Filter of(Function<String, @Nullable String> parameter) {
            String verdict = text(parameter.apply("verdict"));
            String query = text(parameter.apply("q")).strip();
            String page = text(parameter.apply("page"));
            return new Filter(
                    VERDICTS.contains(verdict) || verdict.equals(OPEN) ? verdict : "",
                    query.length() > LONGEST_QUERY ? query.substring(0, LONGEST_QUERY) : query,
                    text(parameter.apply("sort")),
                    text(parameter.apply("dir")).equals("desc"),
                    page.matches("[1-9][0-9]{0,3}") ? Integer.parseInt(page) : 1);
        }

        private static String text(@Nullable String value) {
            return value == null ? "" : value;
        }

        Filter at(int otherPage) {
            return new Filter(verdict, query, sort, down, otherPage);
        }

        Filter sorted(String column, boolean downwards) {
            return new Filter(verdict, query, column, downwards, 1);
        }

        /** As the query of a link. */
        public String link() {
            Map<String, String> parameters = new LinkedHashMap<>();
            put(parameters, "verdict", verdict);
            put(parameters, "q", query);
            put(parameters, "sort", sort);
            put(parameters, "dir", down ? "desc" : "");
            put(parameters, "page", page > 1 ? Integer.toString(page) : "");
            return Links.query(parameters);
        }

        private static void put(Map<String, String> parameters, String name, String value) {
            if (!value.isEmpty()) {
                parameters.put(name, value);
            }
        }

        public boolean filters() {
            return !verdict.isEmpty() || !query.isEmpty();
        }
    }

    /**
     * A column.
     *
     * @param order {@code ascending}, {@code descending}, or null where it is not sorted by
     * @param link the query that sorts by it
     */
    public record Column(String title, @Nullable String order, String link) {}

    /**
     * A line as the table shows it.
     *
     * @param number from 1
     * @param report the path of its report; null where there can be none
     * @param state where there is no verdict
     */
    public record Line(
            int number,
            DisplayText input,
            @Nullable String report,
            @Nullable String verdict,
            String state,
            List<DisplayValue> cells,
            @Nullable DisplayText says,
            String took) {

        /** What stands where the verdict is. */
        public String word() {
            return verdict == null ? state : ResultTable.word(verdict);
        }
    }

    static ResultTable of(
            List<ResultRow> rows, Filter asked, ResultColumns fields, Function<ResultRow, @Nullable String> report) {
        Comparator<ResultRow> order = order(asked.sort, asked.down, fields);
        Filter wish = order == null ? asked.sorted("", false).at(asked.page) : asked;
        String text = wish.query.toLowerCase(Locale.ROOT);
        List<ResultRow> found = new ArrayList<>(rows.stream()
                .filter(row -> fits(row, wish.verdict))
                .filter(row -> text.isEmpty() || row.has(text))
                .toList());
        if (order != null) {
            found.sort(order);
        }
        int pages = Math.max(1, (found.size() + PAGE_LINES - 1) / PAGE_LINES);
        int page = Math.min(wish.page, pages);
        List<Line> lines = found.stream()
                .skip((page - 1L) * PAGE_LINES)
                .limit(PAGE_LINES)
                .map(row -> line(row, fields, report.apply(row)))
                .toList();
        return new ResultTable(wish, columns(wish, fields), lines, found.size(), page, pages);
    }

    private static boolean fits(ResultRow row, String verdict) {
        return verdict.isEmpty() || (verdict.equals(OPEN) ? row.verdict() == null : verdict.equals(row.verdict()));
    }

    private static @Nullable Comparator<ResultRow> order(String sort, boolean down, ResultColumns fields) {
        return switch (sort) {
            case "" -> down ? by(ResultRow::index, true) : null;
            case "input" -> by(ResultRow::input, down);
            case "verdict" -> by(row -> row.verdict() == null ? null : GRAVITY.indexOf(row.verdict()), down);
            case "took" -> by(ResultRow::tookMs, down);
            default ->
                fields.shown().stream().anyMatch(field -> field.name().equals(sort))
                        ? by(row -> row.fields().get(sort), down)
                        : null;
        };
    }

    /**
     * Numbers by their size, texts (and times, which are written so) by their letters; what is not
     * known comes last, whichever way the others go.
     */
    private static Comparator<ResultRow> by(Function<ResultRow, @Nullable Object> value, boolean down) {
        return (a, b) -> {
            Object left = value.apply(a);
            Object right = value.apply(b);
            if (left == null || right == null) {
                return left == right ? 0 : left == null ? 1 : -1;
            }
            int order = left instanceof Number x && right instanceof Number y
                    ? Double.compare(x.doubleValue(), y.doubleValue())
                    : left.toString().compareTo(right.toString());
            return down ? -order : order;
        };
    }

    private static List<Column> columns(Filter wish, ResultColumns fields) {
        List<Column> columns = new ArrayList<>();
        columns.add(column("#", "", wish));
        columns.add(column("Verdict", "verdict", wish));
        columns.add(column("Line", "input", wish));
        for (FieldDescription field : fields.shown()) {
            columns.add(column(field.title(), field.name(), wish));
        }
        columns.add(column("Took", "took", wish));
        return columns;
    }

    private static Column column(String title, String name, Filter wish) {
        boolean sorted = wish.sort.equals(name);
        String order = sorted ? (wish.down ? "descending" : "ascending") : null;
        boolean turn = sorted && !wish.down;
        return new Column(title, order, wish.sorted(name, turn).link());
    }

    private static Line line(ResultRow row, ResultColumns fields, @Nullable String report) {
        return new Line(
                row.index() + 1,
                DisplayText.of(row.input()),
                report,
                row.verdict(),
                row.state(),
                fields.shown().stream()
                        .map(field -> cell(field, row.fields().get(field.name())))
                        .toList(),
                row.says() == null ? null : DisplayText.of(row.says()),
                row.tookMs() == null || row.target() == null ? "" : ValueFormat.milliseconds(row.tookMs()));
    }

    private static DisplayValue cell(FieldDescription field, @Nullable Object value) {
        if (!(value instanceof List<?> items)) {
            return FieldValueView.of(field, value);
        }
        StringBuilder shown = new StringBuilder();
        for (Object item : items) {
            String next = (shown.isEmpty() ? "" : ", ") + item;
            if (shown.length() + next.length() > LONGEST_LIST) {
                shown.append(shown.isEmpty() ? next.substring(0, LONGEST_LIST) : ", ")
                        .append('\u2026');
                break;
            }
            shown.append(next);
        }
        return shown.isEmpty()
                ? new DisplayValue.Items(List.of())
                : new DisplayValue.PlainText(DisplayText.of(shown.toString()), false);
    }

    static String word(String verdict) {
        return switch (verdict) {
            case "pass" -> "Pass";
            case "warn" -> "Warning";
            case "fail" -> "Fail";
            default -> "No verdict";
        };
    }

    /** What the list can be narrowed to, by the value of the filter. */
    public Map<String, String> choices() {
        Map<String, String> choices = new LinkedHashMap<>();
        choices.put("", "All lines");
        VERDICTS.forEach(verdict -> choices.put(verdict, word(verdict)));
        choices.put(OPEN, "Not done");
        return choices;
    }

    /** The query of the page before this one; null on the first. */
    public @Nullable String before() {
        return page > 1 ? wish.at(page - 1).link() : null;
    }

    /** The query of the page behind this one; null on the last. */
    public @Nullable String behind() {
        return page < pages ? wish.at(page + 1).link() : null;
    }
}
