package dev.plumbline.http.api.job;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.plumbline.bus.JobMessage.FinishedLine;
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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
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

        JsonObject json = new JsonObject(line(JobJson.ndjson(job, List.of()), line));

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

        String text = line(JobJson.ndjson(job, List.of()), line);

        assertThat(earlier).doesNotContain("waited_ms");
        assertThat(text.strip()).endsWith("\"duration_ms\":84,\"waited_ms\":null,\"cached\":false}");
        assertThat(new JsonObject(text).getInteger("index")).isZero();
    }

    @Test
    void aResultOfAnEarlierVersionHasNoRules() {
        JobSnapshot job = job(JobState.RUNNING, 3, 1, List.of(1, 2));
        String current = new String(result("a", null), StandardCharsets.UTF_8);
        String earlier = current.replace("\"rules\":\"made-up/1\",", "");
        ResultLine line = new ResultLine(0, "a", earlier.getBytes(StandardCharsets.UTF_8));
        ResultLine other = new ResultLine(0, "a", current.getBytes(StandardCharsets.UTF_8));
        for (List<String> fields : List.of(List.<String>of(), List.of("status"))) {
            String text = line(JobJson.ndjson(job, fields), line);

            assertThat(earlier).doesNotContain("rules");
            assertThat(text).contains("\"state\":\"done\",\"rules\":null,\"target\":\"example.com\",");
            assertThat(line(JobJson.ndjson(job, fields), other).replace("\"rules\":\"made-up/1\",", "\"rules\":null,"))
                    .isEqualTo(text);
        }
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

        JsonObject json = new JsonObject(line(JobJson.ndjson(job, List.of()), new ResultLine(index, "a", null)));

        assertThat(json.getString("state")).isEqualTo(expected);
        assertThat(json.fieldNames())
                .containsExactly(
                        "index",
                        "input",
                        "state",
                        "rules",
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
        JobViewParameters view = new JobViewParameters(
                ResultFormat.JSON, 1, 2, true, false, false, LineSelection.ALL, null, null, false);

        JsonObject json = page(job, view, new ResultLine(1, "b", result("x", null)), new ResultLine(2, "c", null));

        assertThat(json.getString("next_cursor")).isEqualTo(LineCursor.fromLine(job.token(), 3));
        assertThat(json.getInteger("matched")).isEqualTo(4);
        assertThat(json.getJsonArray("results"))
                .extracting(line -> ((JsonObject) line).getString("state"))
                .containsExactly("done", "pending");
        assertThat(json.getJsonObject("links").getString("csv"))
                .isEqualTo("https://checks.example.org/api/v1/jobs/" + job.token() + "/results.csv");
        assertThat(json.getDouble("progress")).isEqualTo(0.25);
        assertThat(json.getJsonObject("counts").getInteger("pending")).isEqualTo(3);
    }

    /** Lines before the page are counted, and the next page begins with the next line that matches. */
    @Test
    void matchingLinesAreCountedOverAllPages() {
        JobSnapshot job = job(JobState.COMPLETED, 5, 0, List.of());
        LineSelection titled = new LineSelection(Set.of(), Set.of(), "YES", List.of(), false);
        ResultLine[] lines = {
            new ResultLine(0, "yes-0", result("x", null)),
            new ResultLine(1, "no-1", result("x", null)),
            new ResultLine(2, "yes-2", result("x", null)),
            new ResultLine(3, "no-3", result("x", null)),
            new ResultLine(4, "Yes-4", result("x", null))
        };

        JsonObject page = page(
                job,
                new JobViewParameters(ResultFormat.JSON, 1, 1, true, false, false, titled, null, null, false),
                lines);
        JsonObject last = page(
                job,
                new JobViewParameters(ResultFormat.JSON, 4, 1, true, false, false, titled, null, null, false),
                lines);
        JsonObject counted = page(
                job,
                new JobViewParameters(ResultFormat.JSON, 0, 5, false, false, false, titled, null, null, false),
                lines);

        assertThat(inputs(page)).containsExactly("yes-2");
        assertThat(page.getString("next_cursor")).isEqualTo(LineCursor.fromLine(job.token(), 4));
        assertThat(inputs(last)).containsExactly("Yes-4");
        assertThat(last.getString("next_cursor")).isNull();
        assertThat(List.of(page, last, counted))
                .extracting(json -> json.getInteger("matched"))
                .containsOnly(3);
        assertThat(counted.fieldNames()).doesNotContain("results", "next_cursor");
    }

    @ParameterizedTest
    @CsvSource({
        "part_fail, 2",
        "hsts/too_short, 2",
        "too_short, 2",
        "https-redirect/too_short, 2",
        "dmarc/dns_timeout, 2",
        "dns_timeout, 2",
        "hsts/dns_timeout, 0",
        "dmarc/too_short, 0",
        "hsts/part_fail, 0",
        "old_protocol, 1",
        "none, 0"
    })
    void findingsOfPartsAreSelected(String code, int matched) {
        JobSnapshot job = job(JobState.COMPLETED, 3, 0, List.of());
        LineSelection selection = new LineSelection(Set.of(), Set.of(code), "", List.of(), false);
        Finding ofParts = new Finding(Level.FAIL, "part_fail", null, "A part has a problem.", "Fix it.", null);
        Map<String, Object> cause = new LinkedHashMap<>();
        cause.put("module", "hsts");
        cause.put("level", "fail");
        cause.put("code", "too_short");
        cause.put("message", "Too short.");
        cause.put("parts", List.of("hsts", "https-redirect"));
        Map<String, Object> part = Map.of("module", "dmarc", "error", Map.of("code", "dns_timeout"));
        Map<String, Object> fields = Map.of("causes", List.of(cause), "parts", List.of(part));
        byte[] composite = ResultJson.write(new CheckResult(
                "made-up",
                "made-up/1",
                "example.com",
                Verdict.FAIL,
                fields,
                List.of(ofParts),
                List.of(),
                null,
                TIME,
                84));
        Finding other = new Finding(Level.INFO, "old_protocol", null, "HTTP/1.1 is used.", "Enable HTTP/2.", null);

        JsonObject page = page(
                job,
                new JobViewParameters(ResultFormat.JSON, 0, 3, true, false, false, selection, null, null, false),
                new ResultLine(0, "a", cached(composite)),
                new ResultLine(1, "b", result("x", null, List.of(other))),
                new ResultLine(2, "c", cached(composite)));

        assertThat(page.getInteger("matched")).isEqualTo(matched);
        assertThat(inputs(page)).hasSize(matched);
    }

    @Test
    void selectedFieldsAreCopiedUnchanged() {
        JobSnapshot job = job(JobState.COMPLETED, 1, 0, List.of());
        ResultLine line = new ResultLine(0, "a", result("two\nlines \u2028", null));

        String all = line(JobJson.ndjson(job, List.of()), line);
        String some = line(JobJson.ndjson(job, List.of("server", "title")), line);

        assertThat(some.indexOf("\"fields\":{\"title\":")).isPositive();
        JsonObject expected = new JsonObject(all);
        expected.getJsonObject("fields").getMap().keySet().retainAll(Set.of("title", "server"));
        assertThat(new JsonObject(some)).isEqualTo(expected);
        assertThat(some).hasSizeLessThan(all.length());
    }

    @Property(tries = 300)
    void anySelectionOfFieldsKeepsTheirValues(@ForAll("texts") String title, @ForAll Set<@From("names") String> names) {
        JobSnapshot job = job(JobState.COMPLETED, 1, 0, List.of());
        ResultLine line = new ResultLine(0, "a", result(title, null));
        JsonObject expected = new JsonObject(line(JobJson.ndjson(job, List.of()), line));
        if (!names.isEmpty()) {
            expected.getJsonObject("fields").getMap().keySet().retainAll(names);
        }

        assertThat(new JsonObject(line(JobJson.ndjson(job, List.copyOf(names)), line)))
                .isEqualTo(expected);
    }

    @Provide
    Arbitrary<String> names() {
        return Arbitraries.of("status", "title", "names", "server", "share", "open");
    }

    @Test
    void selectedFieldsAreColumnsInTheRequestedOrder() {
        JobSnapshot job = job(JobState.COMPLETED, 1, 0, List.of());
        ResultLine line = new ResultLine(0, "a", result("x", null));

        String csv = text(new JobCsv(job, MODULE, List.of(), List.of("open", "status"), false, false), line);

        assertThat(csv)
                .isEqualTo("index,input,target,state,verdict,error_code,error_message,duration_ms,cached,checked_at,"
                        + "open,status,finding_codes,top_finding\r\n"
                        + "0,a,example.com,done,pass,,,84,false,2026-11-20T10:00:00.123Z,true,-5,\"\",\r\n");
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

        String csv = text(new JobCsv(job, MODULE, List.of(), List.of(), false, false), new ResultLine(0, "", null));

        assertThat(csv).startsWith("index,input,").endsWith("\r\n");
        // null is an empty cell, an empty string a quoted cell
        assertThat(csv.split("\r\n")[1]).isEqualTo("0,\"\",,pending" + ",".repeat(14));
    }

    @Test
    void csvOfUnknownModuleHasNoFieldColumns() {
        JobSnapshot job = job(JobState.FAILED, 1, 0, List.of());

        assertThat(text(
                        new JobCsv(job, null, List.of(), List.of(), false, false),
                        new ResultLine(0, "a", result("x", null))))
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

        assertThat(text(new JobCsv(job, odd, List.of(), List.of(), false, false)))
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

        JsonObject json = new JsonObject(line(JobJson.ndjson(job, List.of()), line));
        assertThat(json.getString("input")).isEqualTo(input);
        assertThat(json.getJsonObject("fields").getString("title")).isEqualTo(title);
        assertThat(line(JobJson.ndjson(job, List.of()), line).indexOf('\n'))
                .isEqualTo(line(JobJson.ndjson(job, List.of()), line).length() - 1);
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

        assertThat(text(new JobCsv(job, MODULE, List.of(), List.of(), false, raw), line))
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
                null,
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
        byte[] plain = ResultJson.write(new CheckResult(
                "made-up", "made-up/1", "example.com", Verdict.PASS, fields, findings, List.of(), error, TIME, 84));
        return cached(plain);
    }

    /** Adds the members of a line. */
    private static byte[] cached(byte[] result) {
        String text = new String(result, StandardCharsets.UTF_8);
        return (text.substring(0, text.length() - 1) + ",\"waited_ms\":12,\"cached\":false}")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** The JSON of a page that reads these lines. */
    private static JsonObject page(JobSnapshot job, JobViewParameters view, ResultLine... lines) {
        List<FinishedLine> planned = Stream.of(lines)
                .map(line -> new FinishedLine(line.index(), 0))
                .collect(Collectors.toCollection(ArrayList::new));
        if (!view.selection().readsResults()) {
            // the first line of the next page
            planned.add(new FinishedLine(lines[lines.length - 1].index() + 1, 0));
        }
        LinePage page = new LinePage(job, view, planned);
        LineWriter format =
                new JobJson("https://checks.example.org", (policy, module) -> true).withLines(job, view, page);
        Buffer out = Buffer.buffer();
        format.begin(out);
        for (ResultLine line : lines) {
            if (page.accept(line)) {
                format.line(out, line);
            }
        }
        format.end(out);
        return out.toJsonObject();
    }

    private static List<String> inputs(JsonObject page) {
        return page.getJsonArray("results").stream()
                .map(line -> ((JsonObject) line).getString("input"))
                .toList();
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
        return CsvReader.builder()
                .ofCsvRecord(text(new JobCsv(job, MODULE, List.of(), List.of(), false, raw), lines))
                .stream()
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
        return new JobJson("http://localhost", (policy, module) -> true)
                .summary(
                        new JobSnapshot(
                                job.id(),
                                job.token(),
                                job.name(),
                                job.module(),
                                options,
                                null,
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
                                null),
                        3)
                .toString();
    }
}
