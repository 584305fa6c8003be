package dev.plumbline.http.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.JobState;
import dev.plumbline.check.Description;
import dev.plumbline.check.Field;
import dev.plumbline.check.FieldType;
import dev.plumbline.check.InputType;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tables and plots of a made-up module with fields of every type. */
class JobViewsTest {
  private static final Instant NOW = Instant.parse("2026-06-01T00:00:00Z");
  private static final String HOSTILE = "<b>\u202e\u0000";

  private static final Description MODULE =
      Description.of("made-up", "Made up", InputType.HOST)
          .fields(
              Field.string("free", "Free text", "Anything."),
              Field.string("kind", "Kind", "One of two.").oneOf("one_kind", "other"),
              Field.bool("yes", "Yes", "Whether."),
              Field.time("seen_at", "Seen", "When."),
              Field.time("not_after", "Ends", "When it ends."),
              Field.integer("smtp_code", "Code", "The code."),
              Field.number("connect_ms", "Connect time", "How long."),
              Field.integer("size_bytes", "Size", "In bytes."),
              Field.array("names", "Names", "All.", FieldType.STRING),
              Field.object("rest", "Rest", "Anything."))
          .build();

  private static final JobColumns COLUMNS = JobColumns.of(MODULE);

  @Test
  void columnsAndPlotsAreChosenByTypes() {
    assertThat(COLUMNS.shown())
        .extracting(Field::name)
        .containsExactly("kind", "not_after", "smtp_code");
    assertThat(COLUMNS.counted()).extracting(Field::name).containsExactly("kind", "smtp_code");
    assertThat(COLUMNS.measured()).extracting(Field::name).isEqualTo("connect_ms");
    assertThat(COLUMNS.dated()).extracting(Field::name).isEqualTo("not_after");
  }

  @Test
  void everyPlotThatTheFieldsAllowIsDrawn() {
    List<Plot> plots = JobPlots.of(job(3), COLUMNS, rows(), NOW);

    assertThat(plots)
        .extracting(Plot::title)
        .containsExactly("Verdicts", "Kind", "Code", "Connect time", "Ends");
    Plot.Shares codes = (Plot.Shares) plots.get(2);
    assertThat(codes.bars()).extracting(Plot.Share::label).containsExactly("250", "550");
    assertThat(codes.bars()).extracting(Plot.Share::tone).containsExactly("pass", "fail");
    Plot.Spread ends = (Plot.Spread) plots.get(4);
    assertThat(ends.sums()).contains("1 is past");
    assertThat(ends.columns()).extracting(Plot.Column::tone).contains("fail", "");
  }

  @Test
  void aWordThatTheModuleDoesNotKnowIsNoLabel() {
    List<JobRow> rows = new ArrayList<>(rows());
    rows.add(row(3, "pass", result("fields", fields("<img src=x>", 250, "x", 4.0))));

    assertThat(JobPlots.of(job(4), COLUMNS, rows, NOW).toString()).doesNotContain("<img");
  }

  @Test
  void nothingButVerdictsIsDrawnOfNothing() {
    assertThat(JobPlots.of(job(0), COLUMNS, List.of(), NOW))
        .extracting(Plot::title)
        .containsExactly("Verdicts");
  }

  @Test
  void whatStandsInACellIsWhatWasSentWithControlsNamed() {
    JobTable table = table("", "", 1);

    assertThat(table.columns())
        .extracting(JobTable.Column::title)
        .containsExactly("#", "Verdict", "Line", "Kind", "Ends", "Code", "Took");
    assertThat(table.lines()).extracting(JobTable.Line::number).containsExactly(1, 2, 3);
    assertThat(table.lines().get(1).says().runs())
        .extracting(Text.Run::text)
        .containsExactly("<b>", "[U+202E]", "[U+0000]");
  }

  @Test
  void aModuleOfListsHasThemAsColumns() {
    Description module =
        Description.of("lists", "Lists", InputType.HOST)
            .fields(
                Field.array("versions", "Versions", "Some.", FieldType.STRING),
                Field.bool("old", "Old", "Whether."),
                Field.table("rows", "Rows", "Some.", Field.string("a", "A", "A.")),
                Field.array("numbers", "Numbers", "Some.", FieldType.INTEGER),
                Field.array("more", "More", "Some more.", FieldType.STRING))
            .build();
    JobColumns columns = JobColumns.of(module);

    assertThat(columns.shown()).extracting(Field::name).containsExactly("versions", "numbers");
    assertThat(cells(columns, new JsonArray().add("TLSv1.2").add("TLSv1.3"), new JsonArray()))
        .containsExactly(words("TLSv1.2, TLSv1.3"), new Value.Items(List.of()));
    assertThat(
            cells(
                columns,
                new JsonArray().add("a".repeat(30)).add("b".repeat(30)),
                new JsonArray().add(1).addNull().add(2)))
        .containsExactly(words("a".repeat(30) + ", \u2026"), words("1, 2"));
    assertThat(cells(columns, new JsonArray().add("c".repeat(90)), null))
        .containsExactly(words("c".repeat(48) + "\u2026"), new Value.Missing());
  }

  private static Value words(String text) {
    return new Value.Words(Text.of(text), false);
  }

  private static List<Value> cells(
      JobColumns columns, JsonArray versions, @Nullable JsonArray numbers) {
    JsonObject fields = new JsonObject().put("versions", versions).put("numbers", numbers);
    JobRow row = row(0, "pass", result("fields", fields), columns);
    return JobTable.of(
            List.of(row), new JobTable.Wish("", "", "versions", false, 1), columns, line -> null)
        .lines()
        .get(0)
        .cells();
  }

  @Test
  void linesAreSortedByWhatAFieldHoldsAndThoseWithoutComeLast() {
    assertThat(numbers(table("smtp_code", "", 1))).containsExactly(1, 2, 3);
    assertThat(numbers(table("not_after", "", 1))).containsExactly(2, 1, 3);
    JobTable.Wish down = new JobTable.Wish("", "", "smtp_code", true, 1);
    assertThat(numbers(JobTable.of(rows(), down, COLUMNS, row -> null))).containsExactly(2, 1, 3);
    assertThat(numbers(table("verdict", "", 1))).containsExactly(3, 2, 1);
    assertThat(numbers(table("no_such_field", "", 1))).containsExactly(1, 2, 3);
  }

  @Test
  void linesAreFoundByWhatTheySay() {
    assertThat(numbers(table("", "HOST1", 1))).containsExactly(2);
    assertThat(numbers(table("", "<B>", 1))).containsExactly(2);
    assertThat(table("", "nowhere", 7).lines()).isEmpty();
    assertThat(table("", "nowhere", 7).page()).isEqualTo(1);
  }

  @Test
  void aWishIsALinkAndALinkIsAWish() {
    JobTable.Wish wish = new JobTable.Wish("fail", "a&b=<c>", "took", true, 3);

    assertThat(wish.link()).isEqualTo("?verdict=fail&q=a%26b%3D%3Cc%3E&sort=took&dir=desc&page=3");
    Map<String, String> given =
        Map.of("verdict", "fail", "q", "a&b=<c>", "sort", "took", "dir", "desc", "page", "3");
    assertThat(JobTable.Wish.of(given::get)).isEqualTo(wish);
    assertThat(JobTable.Wish.of(Map.of("page", "-1", "verdict", "'")::get).link()).isEmpty();
  }

  private static JobTable table(String sort, String query, int page) {
    return JobTable.of(
        rows(), new JobTable.Wish("", query, sort, false, page), COLUMNS, row -> null);
  }

  private static List<Integer> numbers(JobTable table) {
    return table.lines().stream().map(JobTable.Line::number).toList();
  }

  private static List<JobRow> rows() {
    return List.of(
        row(0, "pass", result("fields", fields("one_kind", 250, "2026-09-01T00:00:00Z", 12.5))),
        row(
            1,
            "fail",
            result("fields", fields("other", 550, "2026-01-01T00:00:00Z", 80.0))
                .put(
                    "findings",
                    new JsonArray().add(finding("info", "x")).add(finding("fail", HOSTILE)))),
        row(
            2,
            "error",
            result("error", new JsonObject().put("code", "internal").put("message", "m"))));
  }

  private static JsonObject finding(String level, String message) {
    return new JsonObject().put("level", level).put("message", message).put("action", "a");
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

  private static JobRow row(int index, String verdict, JsonObject more) {
    return row(index, verdict, more, COLUMNS);
  }

  private static JobRow row(int index, String verdict, JsonObject more, JobColumns columns) {
    JsonObject result =
        new JsonObject()
            .put("module", "made-up")
            .put("target", "host" + index)
            .put("verdict", verdict)
            .putNull("fields")
            .put("findings", new JsonArray())
            .putNull("error")
            .put("duration_ms", 5)
            .mergeIn(more);
    return JobRows.of(
        job(3),
        new JobMessage.ResultLine(index, "host" + index, result.toBuffer().getBytes()),
        columns.names());
  }

  private static JobMessage.JobHead job(int total) {
    @Nullable Instant over = NOW;
    return new JobMessage.JobHead(
        1,
        "job_x",
        "made-up",
        Map.of(),
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
        NOW,
        NOW,
        over,
        NOW);
  }
}
