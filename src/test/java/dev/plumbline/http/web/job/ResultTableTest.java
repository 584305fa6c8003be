package dev.plumbline.http.web.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.JobState;
import dev.plumbline.http.api.job.PageCursor;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables and charts of a made-up module with fields of every type. */
class ResultTableTest {
    private static final Instant NOW = Instant.parse("2026-06-01T00:00:00Z");
    private static final String HOSTILE = "<b>\u202e\u0000";

    private static final ModuleDescription MODULE = ModuleDescriptionBuilder.of("made-up", "Made up", InputType.HOST)
            .fields(
                    Descriptions.string("free", "Free text", "Anything."),
                    Descriptions.oneOf(Descriptions.string("kind", "Kind", "One of two."), "one_kind", "other"),
                    Descriptions.bool("yes", "Yes", "Whether."),
                    Descriptions.time("seen_at", "Seen", "When."),
                    Descriptions.time("not_after", "Ends", "When it ends."),
                    Descriptions.integer("smtp_code", "Code", "The code."),
                    Descriptions.number("connect_ms", "Connect time", "How long."),
                    Descriptions.integer("size_bytes", "Size", "In bytes."),
                    Descriptions.array("names", "Names", "All.", FieldType.STRING),
                    Descriptions.object("rest", "Rest", "Anything."))
            .build();

    private static final ModuleDescription COMPOSITE = ModuleDescriptionBuilder.of(
                    "made-whole", "Made whole", InputType.DOMAIN)
            .area("web", "Website")
            .area("dns", "DNS")
            .fields(
                    Descriptions.integer("score", "Score", "All."),
                    grade(),
                    Descriptions.object(
                            "areas",
                            "Areas",
                            "Each.",
                            Descriptions.object("web", "Website", "The website.", grade()),
                            Descriptions.object("dns", "DNS", "The DNS.", grade())))
            .build();

    private static FieldDescription grade() {
        return Descriptions.oneOf(Descriptions.string("grade", "Grade", "The grade."), "A", "B", "C");
    }

    private static final ResultColumns COLUMNS = ResultColumns.of(MODULE);

    @Test
    void columnsAndChartsAreChosenByType() {
        assertThat(COLUMNS.shown())
                .extracting(FieldDescription::name)
                .containsExactly("kind", "not_after", "smtp_code");
        assertThat(COLUMNS.counted()).extracting(FieldDescription::name).containsExactly("kind", "smtp_code");
        assertThat(COLUMNS.measured()).extracting(FieldDescription::name).isEqualTo("connect_ms");
        assertThat(COLUMNS.dated()).extracting(FieldDescription::name).isEqualTo("not_after");
    }

    @Test
    void aCompositeHasTheGradesOfItsAreas() {
        ResultColumns columns = ResultColumns.of(COMPOSITE);
        JsonObject areas = new JsonObject()
                .put("web", new JsonObject().put("score", 61).put("grade", "C"))
                .put("dns", null);
        JsonObject fields = new JsonObject().put("score", 81).put("grade", "B").put("areas", areas);

        ResultTable table = ResultTable.of(
                List.of(row(0, "fail", result("fields", fields), columns)),
                LineQuery.all().sorted("areas.web.grade", false),
                columns);

        assertThat(table.columns())
                .extracting(ResultTable.Column::title)
                .containsExactly("#", "Verdict", "Input", "Grade", "Website", "DNS", "Duration");
        assertThat(table.lines().get(0).cells())
                .extracting(ResultTable.Cell::value)
                .containsExactly(
                        new DisplayValue.Grade("B", 81L),
                        new DisplayValue.Grade("C", 61L),
                        new DisplayValue.Missing(null));
    }

    @Test
    void everyPossibleChartIsCreated() {
        List<Chart> charts = ResultCharts.of(summary(3), LineQuery.all(), COLUMNS, rows(), NOW);

        assertThat(charts).extracting(Chart::title).containsExactly("Verdicts", "Kind", "Code", "Connect time", "Ends");
        Chart.BarChart codes = (Chart.BarChart) charts.get(2);
        assertThat(codes.bars()).extracting(Chart.Bar::label).containsExactly("250", "550");
        assertThat(codes.bars()).extracting(Chart.Bar::tone).containsExactly("pass", "fail");
        Chart.Histogram ends = (Chart.Histogram) charts.get(4);
        assertThat(ends.summary()).contains("1 in the past");
        assertThat(ends.columns()).extracting(Chart.Column::tone).contains("fail", "");
    }

    @Test
    void undeclaredValuesAreNotLabels() {
        List<ResultRow> rows = new ArrayList<>(rows());
        rows.add(row(3, "pass", result("fields", fields("<img src=x>", 250, "x", 4.0))));

        assertThat(ResultCharts.of(summary(4), LineQuery.all(), COLUMNS, rows, NOW)
                        .toString())
                .doesNotContain("<img");
    }

    @Test
    void withoutResultsOnlyVerdictsAreDisplayed() {
        assertThat(ResultCharts.of(summary(0), LineQuery.all(), COLUMNS, List.of(), NOW))
                .extracting(Chart::title)
                .containsExactly("Verdicts");
    }

    @Test
    void controlCharactersAreNamedInCells() {
        ResultTable table = sorted("");

        assertThat(table.columns())
                .extracting(ResultTable.Column::title)
                .containsExactly("#", "Verdict", "Input", "Kind", "Ends", "Code", "Duration");
        assertThat(table.lines()).extracting(ResultTable.Line::number).containsExactly(1, 2, 3);
        assertThat(table.lines().get(1).message().runs())
                .extracting(DisplayText.Run::text)
                .containsExactly("<b>", "[U+202E]", "[U+0000]");
    }

    @Test
    void listsAreColumnsIfThereAreFewScalarFields() {
        ModuleDescription module = ModuleDescriptionBuilder.of("lists", "Lists", InputType.HOST)
                .fields(
                        Descriptions.array("versions", "Versions", "Some.", FieldType.STRING),
                        Descriptions.bool("old", "Old", "Whether."),
                        Descriptions.table("rows", "Rows", "Some.", Descriptions.string("a", "A", "A.")),
                        Descriptions.array("numbers", "Numbers", "Some.", FieldType.INTEGER),
                        Descriptions.array("more", "More", "Some more.", FieldType.STRING))
                .build();
        ResultColumns columns = ResultColumns.of(module);

        assertThat(columns.shown()).extracting(FieldDescription::name).containsExactly("versions", "numbers");
        assertThat(cells(columns, new JsonArray().add("TLSv1.2").add("TLSv1.3"), new JsonArray()))
                .containsExactly(text("TLSv1.2, TLSv1.3"), new DisplayValue.Items(List.of()));
        assertThat(cells(
                        columns,
                        new JsonArray().add("a".repeat(30)).add("b".repeat(30)),
                        new JsonArray().add(1).addNull().add(2)))
                .containsExactly(text("a".repeat(30) + ", \u2026"), text("1, 2"));
        assertThat(cells(columns, new JsonArray().add("c".repeat(90)), null))
                .containsExactly(text("c".repeat(48) + "\u2026"), new DisplayValue.Missing(null));
    }

    private static DisplayValue text(String text) {
        return new DisplayValue.PlainText(DisplayText.of(text), false);
    }

    private static List<DisplayValue> cells(ResultColumns columns, JsonArray versions, @Nullable JsonArray numbers) {
        JsonObject fields = new JsonObject().put("versions", versions).put("numbers", numbers);
        ResultRow row = row(0, "pass", result("fields", fields), columns);
        return ResultTable.of(List.of(row), LineQuery.all().sorted("versions", false), columns)
                .lines()
                .get(0)
                .cells()
                .stream()
                .map(ResultTable.Cell::value)
                .toList();
    }

    @Test
    void linesAreSortedByFieldWithNullsLast() {
        assertThat(numbers(sorted("smtp_code"))).containsExactly(1, 2, 3);
        assertThat(numbers(sorted("not_after"))).containsExactly(2, 1, 3);
        LineQuery down = LineQuery.all().sorted("smtp_code", true);
        assertThat(numbers(ResultTable.of(rows(), down, COLUMNS))).containsExactly(2, 1, 3);
        assertThat(numbers(sorted("verdict"))).containsExactly(3, 2, 1);
        assertThat(numbers(sorted("no_such_field"))).containsExactly(1, 2, 3);
    }

    @Test
    void linesAreSelected() {
        assertThat(numbers(selected("verdict", "fail,error"))).containsExactly(2, 3);
        assertThat(numbers(selected("finding", "sample_fail"))).containsExactly(2);
        assertThat(numbers(selected("q", "HOST1"))).containsExactly(2);
        ResultTable none = selected("q", "nowhere");
        assertThat(none.lines()).isEmpty();
        assertThat(none.matches()).isZero();
        assertThat(none.next()).isNull();
    }

    /** The table does not display the fields with these codes. */
    @ParameterizedTest
    @CsvSource({
        "hsts/hsts_several, 1",
        "hsts_several, 1",
        "caa/read_timeout, 2",
        "mx/no_mx, 3",
        "spf/no_mx, 3",
        "no_mx, 3",
        "part_warn, 3"
    })
    void linesAreSelectedByCodesOfTheCompleteResult(String finding, int number) {
        ResultColumns columns = ResultColumns.of(COMPOSITE);
        JsonObject noMx = new JsonObject()
                .put("code", "no_mx")
                .put("module", "mx")
                .put("level", "warn")
                .put("parts", new JsonArray().add("mx").add("spf"));
        List<ResultRow> rows = List.of(
                row(0, "pass", parts("hsts", "top_finding", "hsts_several"), columns),
                row(1, "pass", parts("caa", "error", "read_timeout"), columns),
                row(2, "warn", result("fields", result("causes", new JsonArray().add(noMx))), columns));

        assertThat(numbers(ResultTable.of(rows, query("?finding=" + finding), columns)))
                .containsExactly(number);
    }

    private static JsonObject parts(String module, String member, String code) {
        JsonObject part = result("module", module).put(member, result("code", code));
        return result("fields", result("parts", new JsonArray().add(part)));
    }

    @Test
    void pagesStartAtTheLineInTheCursor() {
        List<ResultRow> rows = IntStream.range(0, 120)
                .mapToObj(i -> row(i, i % 2 == 0 ? "pass" : "fail", result("duration_ms", i % 7)))
                .toList();
        for (String order : List.of("?verdict=fail", "?verdict=fail&sort=duration&dir=desc", "?sort=input", "")) {
            List<Integer> seen = new ArrayList<>();
            List<ResultTable> pages = new ArrayList<>();
            for (LineQuery next = query(order);
                    next != null;
                    next = pages.get(pages.size() - 1).next()) {
                pages.add(ResultTable.of(rows, query(next.link()), COLUMNS));
                seen.addAll(numbers(pages.get(pages.size() - 1)));
            }
            assertThat(seen)
                    .as(order)
                    .doesNotHaveDuplicates()
                    .hasSize(pages.get(0).matches());
            assertThat(pages).hasSizeGreaterThan(1);
            assertThat(pages.get(0).previous()).isNull();
            for (int i = 1; i < pages.size(); i++) {
                assertThat(ResultTable.of(rows, pages.get(i).previous(), COLUMNS))
                        .isEqualTo(pages.get(i - 1));
            }
        }
    }

    @Test
    void onePageCanHaveAllLines() {
        List<ResultRow> rows = IntStream.range(0, 120)
                .mapToObj(i -> row(i, i % 2 == 0 ? "pass" : "fail", result("duration_ms", i % 7)))
                .toList();
        ResultTable paged = ResultTable.of(rows, query("?verdict=pass&sort=input&dir=desc"), COLUMNS);

        ResultTable all = ResultTable.of(rows, paged.query().unpaged(true), COLUMNS);

        assertThat(paged.lines()).hasSize(50);
        assertThat(paged.paged()).isTrue();
        assertThat(all.query().link()).isEqualTo("?verdict=pass&sort=input&dir=desc&lines=all");
        assertThat(numbers(ResultTable.of(rows, query(all.query().link()), COLUMNS)))
                .hasSize(60)
                .startsWith(99, 97);
        assertThat(all.columns()).extracting(ResultTable.Column::link).allMatch(link -> link.endsWith("lines=all"));
        assertThat(all.previous()).isNull();
        assertThat(all.next()).isNull();
        assertThat(all.query().unpaged(false)).isEqualTo(paged.query());
        ResultTable few = ResultTable.of(rows(), LineQuery.all().unpaged(true), COLUMNS);
        assertThat(numbers(few)).containsExactly(1, 2, 3);
        assertThat(few.paged()).isFalse();
    }

    @Test
    void aCursorAfterTheLastMatchShowsTheLastPage() {
        assertThat(numbers(ResultTable.of(rows(), query("?verdict=pass").at(2), COLUMNS)))
                .containsExactly(1);
    }

    @Test
    void theSelectedFieldsAreTheColumns() {
        ResultColumns columns = COLUMNS.withFields(MODULE, List.of("rest", "free", "names", "yes"));
        ResultTable table = ResultTable.of(
                List.of(row(0, "pass", result("fields", fields("other", 1, "x", 2.0)), columns)),
                LineQuery.all(),
                columns);

        assertThat(table.columns())
                .extracting(ResultTable.Column::title)
                .containsExactly("#", "Verdict", "Input", "Rest", "Free text", "Names", "Yes", "Duration");
        assertThat(table.lines().get(0).cells())
                .extracting(ResultTable.Cell::value)
                .contains(text("1 member"), new DisplayValue.Flag(true));
    }

    @Test
    void theQueryRoundTripsThroughItsLink() {
        String link = "?verdict=error%2Cfail&finding=a%2Cb%2Fc&q=a%26b%3D%3Cc%3E&fields=z%2Ca&sort=duration&dir=desc"
                + "&cursor=" + PageCursor.fromLine(50);

        assertThat(query(link).link()).isEqualTo(link);
        assertThat(query("?verdict=fail&verdict=error&fields=z&fields=a&finding=&q=+x+")
                        .link())
                .isEqualTo("?verdict=error%2Cfail&q=x&fields=z%2Ca");
        assertThat(query(link).fileLink()).isEqualTo(link.replaceFirst("&sort.*", ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "?verdict=maybe | 'maybe' is not a verdict",
                "?verdict=pass&verdict=unfinished | 'unfinished' is not a verdict",
                "?finding=NOT_FOUND | 'NOT_FOUND' is not a valid finding code",
                "?fields=kind,missing | 'missing' is not a field of made-up. Fields: free, kind",
                "?cursor=x | The cursor is not valid",
                // of line 3
                "?cursor=bDM | The cursor is not valid",
                // of a list of jobs
                "?cursor=am9iX3g | The cursor is not valid"
            })
    void invalidValuesAreExplained(String link, String expected) {
        assertThat(query(link).faults(job(3), MODULE))
                .extracting(Problem.Fault::detail)
                .hasSize(1)
                .first(InstanceOfAssertFactories.STRING)
                .contains(expected);
    }

    private static LineQuery query(String link) {
        MultiMap parameters = MultiMap.caseInsensitiveMultiMap();
        new QueryStringDecoder(link).parameters().forEach(parameters::add);
        return LineQuery.of(parameters);
    }

    private static ResultTable selected(String parameter, String value) {
        return ResultTable.of(rows(), query("?" + parameter + "=" + value), COLUMNS);
    }

    private static ResultTable sorted(String column) {
        return ResultTable.of(rows(), LineQuery.all().sorted(column, false), COLUMNS);
    }

    private static List<Integer> numbers(ResultTable table) {
        return table.lines().stream().map(ResultTable.Line::number).toList();
    }

    private static List<ResultRow> rows() {
        return List.of(
                row(0, "pass", result("fields", fields("one_kind", 250, "2026-09-01T00:00:00Z", 12.5))),
                row(
                        1,
                        "fail",
                        result("fields", fields("other", 550, "2026-01-01T00:00:00Z", 80.0))
                                .put(
                                        "findings",
                                        new JsonArray()
                                                .add(finding("info", "x"))
                                                .add(finding("fail", HOSTILE)))),
                row(
                        2,
                        "error",
                        result("error", new JsonObject().put("code", "internal").put("message", "m"))));
    }

    private static JsonObject finding(String level, String message) {
        return new JsonObject()
                .put("code", "sample_" + level)
                .put("level", level)
                .put("message", message)
                .put("action", "a");
    }

    private static JsonObject fields(String kind, int code, String end, double ms) {
        return new JsonObject()
                .put("free", HOSTILE)
                .put("kind", kind)
                .put("yes", true)
                .put("smtp_code", code)
                .put("not_after", end)
                .put("connect_ms", ms)
                .put("names", new JsonArray().add(HOSTILE))
                .put("rest", new JsonObject().put("fields", new JsonObject().put("smtp_code", 999)));
    }

    private static JsonObject result(String name, Object value) {
        return new JsonObject().put(name, value);
    }

    private static ResultRow row(int index, String verdict, JsonObject more) {
        return row(index, verdict, more, COLUMNS);
    }

    private static ResultRow row(int index, String verdict, JsonObject more, ResultColumns columns) {
        JsonObject result = new JsonObject()
                .put("module", "made-up")
                .put("target", "host" + index)
                .put("verdict", verdict)
                .putNull("fields")
                .put("findings", new JsonArray())
                .putNull("error")
                .put("duration_ms", 5)
                .mergeIn(more);
        return ResultRow.of(
                job(3),
                new JobMessage.ResultLine(
                        index, "host" + index, result.toBuffer().getBytes()),
                columns.names(),
                new ResultRow.SharedValues());
    }

    private static JobSummary summary(int total) {
        return new JobSummary(job(total), "Made up", JobPage.path(job(total).token()), null);
    }

    private static JobMessage.JobSnapshot job(int total) {
        @Nullable Instant over = NOW;
        return new JobMessage.JobSnapshot(
                1,
                "job_x",
                "test",
                "made-up",
                Map.of(),
                null,
                JobState.COMPLETED,
                1,
                total,
                0,
                total,
                0,
                0,
                0,
                0,
                List.of(),
                List.of(),
                NOW,
                NOW,
                over,
                NOW);
    }
}
