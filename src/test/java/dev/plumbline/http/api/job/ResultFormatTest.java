package dev.plumbline.http.api.job;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.plumbline.bus.JobMessage.JobSnapshot;
import dev.plumbline.bus.JobMessage.ResultLine;
import dev.plumbline.bus.JobState;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.ResultJson;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines of jobs as JSON, CSV and NDJSON. */
class ResultFormatTest {
    private static final Instant TIME = Instant.parse("2026-11-20T10:00:00.123Z");
    private static final ModuleDescription MODULE = ModuleDescriptionBuilder.of("made-up", "Made up", InputType.DOMAIN)
            .fields(
                    Descriptions.integer("status", "Status", "A number."),
                    Descriptions.orNull(Descriptions.string("title", "Title", "A text.")),
                    Descriptions.array("names", "Names", "Texts.", FieldType.STRING),
                    Descriptions.object("server", "Server", "Anything."),
                    Descriptions.number("share", "Share", "A part."),
                    Descriptions.bool("open", "Open", "Yes or no."))
            .build();

    @Test
    void resultIsCopiedIntoLineUnchanged() {
        JobSnapshot job = job(JobState.RUNNING, 3, 1, List.of(1, 2));
        ResultLine line = new ResultLine(0, "Example.com \"\\\u0001ö😀", result("Grüße", null));

        JsonObject json = new JsonObject(line(JobJson.ndjson(job), line));

        JsonObject result = new JsonObject(Buffer.buffer(result("Grüße", null)));
        result.remove("module");
        assertThat(json)
                .isEqualTo(new JsonObject()
                        .put("index", 0)
                        .put("input", "Example.com \"\\\u0001ö😀")
                        .put("state", "done")
                        .mergeIn(result));
    }

    @Test
    void aResultOfAnEarlierVersionHasNoWaitedTime() {
        JobSnapshot job = job(JobState.RUNNING, 3, 1, List.of(1, 2));
        String earlier = new String(result("a", null), StandardCharsets.UTF_8).replace(",\"waited_ms\":12", "");
        ResultLine line = new ResultLine(0, "a", earlier.getBytes(StandardCharsets.UTF_8));

        String text = line(JobJson.ndjson(job), line);

        assertThat(earlier).doesNotContain("waited_ms");
        assertThat(text.strip()).endsWith("\"duration_ms\":84,\"waited_ms\":null,\"cached\":false}");
        assertThat(new JsonObject(text).getInteger("index")).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "RUNNING, 0, pending",
        "RUNNING, 1, running",
        "RUNNING, 2, pending",
        "CANCELLING, 1, running",
        "COMPLETED, 2, cancelled",
        "CANCELLED, 0, cancelled",
        "FAILED, 0, cancelled"
    })
    void lineWithoutResultHasState(JobState state, int index, String expected) {
        JobSnapshot job = state.isFinal() ? job(state, 3, 0, List.of()) : job(state, 3, 1, List.of(1, 2));

        JsonObject json = new JsonObject(line(JobJson.ndjson(job), new ResultLine(index, "a", null)));

        assertThat(json.getString("state")).isEqualTo(expected);
        assertThat(json.fieldNames())
                .containsExactly(
                        "index",
                        "input",
                        "state",
                        "target",
                        "verdict",
                        "fields",
                        "findings",
                        "truncated",
                        "error",
                        "checked_at",
                        "duration_ms",
                        "waited_ms",
                        "cached");
        json.fieldNames().stream()
                .skip(3)
                .forEach(name -> assertThat(json.getValue(name)).as(name).isNull());
    }

    @Test
    void jobWithLinesIsOneJsonDocument() {
        JobSnapshot job = job(JobState.RUNNING, 4, 0, List.of());
        LineWriter format = new JobJson("https://checks.example.org").withLines(job, 1, "bDM");
        Buffer out = Buffer.buffer();
        format.begin(out);
        format.line(out, new ResultLine(1, "b", result("x", null)));
        format.line(out, new ResultLine(2, "c", null));
        format.end(out);

        JsonObject json = out.toJsonObject();
        assertThat(json.getString("next_cursor")).isEqualTo("bDM");
        assertThat(json.getJsonArray("results"))
                .extracting(line -> ((JsonObject) line).getString("state"))
                .containsExactly("done", "pending");
        assertThat(json.getJsonObject("links").getString("csv"))
                .isEqualTo("https://checks.example.org/api/v1/jobs/" + job.token() + "/results.csv");
        assertThat(json.getDouble("progress")).isEqualTo(0.25);
        assertThat(json.getJsonObject("counts").getInteger("pending")).isEqualTo(3);
    }

    @Test
    void csvHasColumnPerDeclaredField() {
        JobSnapshot job = job(JobState.COMPLETED, 2, 0, List.of());
        List<List<String>> records = csv(
                job,
                false,
                new ResultLine(0, "a,\"b\"\r\nc", result("two\nlines", null)),
                new ResultLine(1, "", result(null, new CheckError(ErrorCode.CONNECT_REFUSED, "nobody, there"))));

        assertThat(records.get(0))
                .containsExactly(
                        "index",
                        "input",
                        "target",
                        "state",
                        "verdict",
                        "error_code",
                        "error_message",
                        "duration_ms",
                        "cached",
                        "checked_at",
                        "status",
                        "title",
                        "names",
                        "server",
                        "share",
                        "open",
                        "finding_codes",
                        "top_finding");
        assertThat(records.get(1))
                .containsExactly(
                        "0",
                        "a,\"b\"\r\nc",
                        "example.com",
                        "done",
                        "pass",
                        "",
                        "",
                        "84",
                        "false",
                        "2026-11-20T10:00:00.123Z",
                        "-5",
                        "two\nlines",
                        "[\"=1\",\"b\"]",
                        "{\"a\":{\"b\":[1,2.5]}}",
                        "0.125",
                        "true",
                        "",
                        "");
        assertThat(records.get(2))
                .containsSubsequence("connect_refused", "nobody, there")
                .hasSize(18);
    }

    @Test
    void csvFollowsRfc4180() {
        JobSnapshot job = job(JobState.RUNNING, 2, 0, List.of());

        String csv = text(new JobCsv(job, MODULE, List.of(), false), new ResultLine(0, "", null));

        assertThat(csv).startsWith("index,input,").endsWith("\r\n");
        // null is an empty cell, an empty string a quoted cell
        assertThat(csv.split("\r\n")[1]).isEqualTo("0,\"\",,pending" + ",".repeat(14));
    }

    @Test
    void csvOfUnknownModuleHasNoFieldColumns() {
        JobSnapshot job = job(JobState.FAILED, 1, 0, List.of());

        assertThat(text(new JobCsv(job, null, List.of(), false), new ResultLine(0, "a", result("x", null))))
                .isEqualTo("index,input,target,state,verdict,error_code,error_message,duration_ms,cached,"
                        + "checked_at,finding_codes,top_finding\r\n"
                        + "0,a,example.com,done,pass,,,84,false,2026-11-20T10:00:00.123Z,\"\",\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"=1+1", "+1", "-1", "@SUM(A1)", "＝1", "＋1", "－1", "＠x", "\t=1", "\r=1", "\n=1", "="})
    void formulaCellsAreEscaped(String text) {
        JobSnapshot job = job(JobState.COMPLETED, 1, 0, List.of());
        ResultLine line = new ResultLine(0, text, result(text, new CheckError(ErrorCode.INTERNAL, text)));

        List<String> safe = csv(job, false, line).get(1);
        List<String> raw = csv(job, true, line).get(1);

        assertThat(safe.get(1)).isEqualTo("'" + text);
        assertThat(safe.get(6)).isEqualTo("'" + text);
        assertThat(safe.get(11)).isEqualTo("'" + text);
        assertThat(raw.get(1)).isEqualTo(text);
        assertThat(raw.get(11)).isEqualTo(text);
        // numbers are not escaped
        assertThat(safe.get(10)).isEqualTo("-5");
    }

    @Test
    void formulaInHeaderIsEscaped() {
        ModuleDescription odd = ModuleDescriptionBuilder.of("odd", "Odd", InputType.DOMAIN)
                .fields(Descriptions.string("=x", "X", "Nobody would."))
                .build();
        JobSnapshot job = job(JobState.RUNNING, 1, 0, List.of());

        assertThat(text(new JobCsv(job, odd, List.of(), false)))
                .endsWith(",checked_at,'=x,finding_codes,top_finding\r\n");
    }

    @Property(tries = 300)
    void anyTextRoundTripsThroughCsvAndJson(@ForAll("texts") String input, @ForAll("texts") String title) {
        JobSnapshot job = job(JobState.COMPLETED, 1, 0, List.of());
        ResultLine line = new ResultLine(0, input, result(title, null));

        List<String> raw = csv(job, true, line).get(1);
        assertThat(raw.get(1)).isEqualTo(withoutNul(input));
        assertThat(raw.get(11)).isEqualTo(withoutNul(title));
        List<String> safe = csv(job, false, line).get(1);
        assertThat(safe.get(1)).isIn(withoutNul(input), "'" + withoutNul(input));
        assertThat(safe.get(1)).doesNotMatch("(?s)[=+\\-@＝＋－＠\t\r\n].*");
        assertThat(safe.get(11)).doesNotMatch("(?s)[=+\\-@＝＋－＠\t\r\n].*");

        JsonObject json = new JsonObject(line(JobJson.ndjson(job), line));
        assertThat(json.getString("input")).isEqualTo(input);
        assertThat(json.getJsonObject("fields").getString("title")).isEqualTo(title);
        assertThat(line(JobJson.ndjson(job), line).indexOf('\n'))
                .isEqualTo(line(JobJson.ndjson(job), line).length() - 1);
    }

    private static String withoutNul(String text) {
        return text.replace('\0', '\ufffd');
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nulIsReplacedInCsv(boolean raw) {
        JobSnapshot job = job(JobState.COMPLETED, 1, 0, List.of());
        ResultLine line =
                new ResultLine(0, "a\u0000b", result("\u0000=1\u0000", new CheckError(ErrorCode.INTERNAL, "x\u0000")));

        assertThat(text(new JobCsv(job, MODULE, List.of(), raw), line))
                .contains(",a\ufffdb,", ",x\ufffd,", ",\ufffd=1\ufffd,")
                .doesNotContain("\u0000");
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.strings()
                .withChars("=+-@＝＋－＠\t\r\n,\"'; a\\\u0000\u2028")
                .withCharRange('a', 'e')
                .ofMaxLength(6);
    }

    private static JobSnapshot job(JobState state, int total, int running, List<Integer> ranges) {
        int pass = state == JobState.COMPLETED ? total : 1;
        int done = state.isFinal() ? pass : 1;
        return new JobSnapshot(
                7,
                "job_4kJ0mZ3tQbW9xYcR1nLp7s",
                "test",
                "made-up",
                Map.of(),
                state,
                9,
                total,
                running,
                done,
                0,
                0,
                0,
                state.isFinal() ? total - done : 0,
                ranges,
                List.of(),
                TIME,
                null,
                null,
                null);
    }

    @Test
    void csvSummarizesFindings() {
        JobSnapshot job = job(JobState.COMPLETED, 1, 0, List.of());
        byte[] result = result(
                "x",
                null,
                List.of(
                        new Finding(
                                Level.INFO, "old_protocol", null, "HTTP/1.1 is used.", "Enable HTTP/2.", "RFC 9113"),
                        new Finding(Level.FAIL, "not_found", "status", "=404", "Fix the \"link\".", null),
                        new Finding(Level.FAIL, "too_slow", null, "Slow.", "Add a cache.", null),
                        new Finding(Level.WARN, "no_type", null, "No type.", "Set one.", null)));

        List<String> cells = csv(job, false, new ResultLine(0, "a", result)).get(1);

        assertThat(cells.get(16)).isEqualTo("old_protocol not_found too_slow no_type");
        assertThat(cells.get(17)).isEqualTo("'=404 Fix the \"link\".");
    }

    private static byte[] result(String title, CheckError error) {
        return result(title, error, List.of());
    }

    private static byte[] result(String title, CheckError error, List<Finding> findings) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("status", -5L);
        fields.put("title", title);
        fields.put("names", List.of("=1", "b"));
        fields.put("server", Map.of("a", Map.of("b", List.of(1L, 2.5))));
        fields.put("share", 0.125);
        fields.put("open", true);
        byte[] plain = ResultJson.write(
                new CheckResult("made-up", "example.com", Verdict.PASS, fields, findings, List.of(), error, TIME, 84));
        String text = new String(plain, StandardCharsets.UTF_8);
        return (text.substring(0, text.length() - 1) + ",\"waited_ms\":12,\"cached\":false}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String line(LineWriter format, ResultLine line) {
        Buffer out = Buffer.buffer();
        format.line(out, line);
        return out.toString();
    }

    private static String text(LineWriter format, ResultLine... lines) {
        Buffer out = Buffer.buffer();
        format.begin(out);
        for (ResultLine line : lines) {
            format.line(out, line);
        }
        format.end(out);
        return out.toString();
    }

    private static List<List<String>> csv(JobSnapshot job, boolean raw, ResultLine... lines) {
        return CsvReader.builder().ofCsvRecord(text(new JobCsv(job, MODULE, List.of(), raw), lines)).stream()
                .map(CsvRecord::getFields)
                .toList();
    }

    @Test
    void equalOptionsSerializeToEqualBytes() {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("b", List.of("x"));
        one.put("a", 5L);
        Map<String, Object> other = new LinkedHashMap<>();
        other.put("a", 5);
        other.put("b", new JsonArray().add("x").getList());

        assertThat(summary(one)).isEqualTo(summary(other)).contains("{\"a\":5,\"b\":[\"x\"]}");
    }

    private static String summary(Map<String, Object> options) {
        JobSnapshot job = job(JobState.QUEUED, 3, 0, List.of());
        return new JobJson("http://localhost")
                .summary(new JobSnapshot(
                        job.id(),
                        job.token(),
                        job.name(),
                        job.module(),
                        options,
                        job.state(),
                        job.version(),
                        job.total(),
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        List.of(),
                        List.of(),
                        TIME,
                        null,
                        null,
                        null))
                .toString();
    }
}
