package dev.plumbline.spreadsheet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import dev.plumbline.check.CompositePart;
import dev.plumbline.portfolio.LineFilter;
import dev.plumbline.portfolio.PortfolioSummary;
import dev.plumbline.result.Consequence;
import dev.plumbline.result.Level;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.support.XlsxFile;
import dev.plumbline.support.XlsxFile.Cell;
import dev.plumbline.target.InputType;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;

/** Workbooks, read with an XML parser. */
class ResultWorkbookTest {
    private static final int MAX_CELL = 32_767;
    private static final String TRUNCATED = "… [truncated]";
    private static final ModuleDescription MODULE = ModuleDescriptionBuilder.of("made-up", "Made up", InputType.DOMAIN)
            .fields(
                    Descriptions.integer("status", "Status", "A number."),
                    Descriptions.string("text", "Text", "A text."),
                    Descriptions.array("names", "Names", "Texts.", FieldType.STRING),
                    Descriptions.object("server", "Server", "Anything."),
                    Descriptions.number("share", "Share", "A part."),
                    Descriptions.bool("open", "Open", "Yes or no."),
                    Descriptions.time("expires", "Expires", "A time."))
            .findings(code("too_short", "Too short", Level.WARN), code("missing", "Missing", Level.FAIL))
            .build();

    private static FindingCode code(String code, String title, Level level) {
        return new FindingCode(code, title, level, null, title, "", null, 0, Consequence.RECOMMENDED, List.of());
    }

    private static JsonObject line(int index, JsonObject fields) {
        return new JsonObject()
                .put("index", index)
                .put("input", "Example.com")
                .put("state", "done")
                .put("target", "example.com")
                .put("verdict", "warn")
                .put("fields", fields)
                .put(
                        "findings",
                        new JsonArray().add(finding("too_short", "warn")).add(finding("other", "info")))
                .put("error", null)
                .put("checked_at", "2026-11-20T10:00:00.123Z")
                .put("duration_ms", 84)
                .put("cached", false);
    }

    private static JsonObject finding(String code, String level) {
        return new JsonObject()
                .put("level", level)
                .put("code", code)
                .put("message", "It is " + code + ".")
                .put("action", "Fix it.");
    }

    private static JsonObject lineWith(String text) {
        return line(0, new JsonObject().put("text", text));
    }

    private static LineColumns columns(List<String> fields) {
        return new LineColumns(LineColumns.OF_JOB, MODULE, List.of(), fields, false);
    }

    private static PortfolioSummary summary() {
        return new PortfolioSummary(MODULE, List.of(), LineFilter.NONE);
    }

    private static XlsxFile write(JsonObject... lines) {
        return write(columns(List.of()), summary(), lines);
    }

    private static XlsxFile write(LineColumns columns, PortfolioSummary summary, JsonObject... lines) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            ResultWorkbook workbook = new ResultWorkbook(out, columns, summary);
            for (JsonObject line : lines) {
                workbook.addLine(bytes(line));
            }
            workbook.endLines();
            for (JsonObject line : lines) {
                workbook.addFindings(bytes(line));
            }
            workbook.finish();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return XlsxFile.read(out.toByteArray());
    }

    private static byte[] bytes(JsonObject line) {
        return line.encode().getBytes(StandardCharsets.UTF_8);
    }

    private static Cell cell(XlsxFile workbook, String column) {
        return workbook.sheet("Lines").rows().get(0).get(column);
    }

    @Test
    void cellsHaveTheTypesOfTheirValues() {
        XlsxFile workbook = write(line(
                7,
                new JsonObject()
                        .put("status", 200)
                        .put("text", "Grüße 😀 <b>&\"'")
                        .put("names", new JsonArray().add("a").add("b"))
                        .put("server", new JsonObject().put("name", "nginx"))
                        .put("share", 0.25)
                        .put("open", true)
                        .put("expires", "2027-01-02T12:00:00.000Z")));

        assertThat(workbook.sheet("Lines").header())
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
                        "text",
                        "names",
                        "server",
                        "share",
                        "open",
                        "expires",
                        "finding_codes",
                        "top_finding");
        assertThat(cell(workbook, "index").number()).isEqualTo(7);
        assertThat(cell(workbook, "input")).isEqualTo(new Cell("inlineStr", "Example.com", null));
        assertThat(cell(workbook, "error_code")).isNull();
        assertThat(cell(workbook, "duration_ms").number()).isEqualTo(84);
        assertThat(cell(workbook, "cached")).isEqualTo(new Cell("b", "0", null));
        assertThat(cell(workbook, "status")).isEqualTo(new Cell("n", "200", null));
        assertThat(cell(workbook, "text").text()).isEqualTo("Grüße 😀 <b>&\"'");
        assertThat(cell(workbook, "names").text()).isEqualTo("[\"a\",\"b\"]");
        assertThat(cell(workbook, "server").text()).isEqualTo("{\"name\":\"nginx\"}");
        assertThat(cell(workbook, "share").number()).isEqualTo(0.25);
        assertThat(cell(workbook, "open")).isEqualTo(new Cell("b", "1", null));
        // days since 1899-12-30
        assertThat(cell(workbook, "expires").number()).isEqualTo(46_389.5);
        assertThat(cell(workbook, "expires").format()).isEqualTo("yyyy-mm-dd hh:mm:ss");
        assertThat(cell(workbook, "checked_at").number() * 86_400)
                .isCloseTo(46_346 * 86_400.0 + 36_000.123, offset(0.001));
        assertThat(cell(workbook, "finding_codes").text()).isEqualTo("too_short other");
        assertThat(cell(workbook, "top_finding").text()).isEqualTo("It is too_short. Fix it.");
    }

    @Test
    void aValueThatASpreadsheetCannotRepresentIsText() {
        XlsxFile workbook = write(line(
                0,
                new JsonObject()
                        .put("status", 1_234_567_890_123_456_789L)
                        .put("share", 1e300)
                        .put("expires", "1850-01-01T00:00:00Z")
                        .put("open", "unknown")));

        assertThat(cell(workbook, "status")).isEqualTo(new Cell("inlineStr", "1234567890123456789", null));
        assertThat(cell(workbook, "share").number()).isEqualTo(1e300);
        assertThat(cell(workbook, "expires")).isEqualTo(new Cell("inlineStr", "1850-01-01T00:00:00Z", null));
        assertThat(cell(workbook, "open").text()).isEqualTo("unknown");
    }

    @Test
    void theHeaderOfEachSheetIsFrozenAndHasAFilter() {
        XlsxFile workbook = write(line(0, new JsonObject()), line(1, new JsonObject()));

        assertThat(workbook.names()).containsExactly("Lines", "Findings", "Summary");
        assertThat(filter(workbook, "Lines")).isEqualTo("A1:S3");
        assertThat(filter(workbook, "Findings")).isEqualTo("A1:J5");
        // 9 counts and 2 findings
        assertThat(filter(workbook, "Summary")).isEqualTo("A1:G12");
    }

    private static String filter(XlsxFile workbook, String sheet) {
        Element pane = XlsxFile.elements(workbook.sheet(sheet).xml(), "pane")
                .findFirst()
                .orElseThrow();
        assertThat(pane.getAttribute("state")).isEqualTo("frozen");
        assertThat(pane.getAttribute("ySplit")).isEqualTo("1");
        assertThat(pane.getAttribute("xSplit")).isEqualTo("0");
        return XlsxFile.elements(workbook.sheet(sheet).xml(), "autoFilter")
                .findFirst()
                .orElseThrow()
                .getAttribute("ref");
    }

    @ParameterizedTest
    @ValueSource(strings = {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1+1", "=HYPERLINK(\"https://a.test\")"})
    void aFormulaOfATargetIsText(String formula) {
        XlsxFile workbook = write(lineWith(formula).put("input", formula));

        Cell text = new Cell("inlineStr", formula, "@");
        assertThat(cell(workbook, "text")).isEqualTo(text);
        assertThat(cell(workbook, "input")).isEqualTo(text);
        assertThat(workbook.sheet("Findings").rows().get(0)).containsEntry("input", text);
        assertNothingActive(workbook);
    }

    private static void assertNothingActive(XlsxFile workbook) {
        workbook.parts().forEach((name, xml) -> {
            assertThat(XlsxFile.elements(xml, "f")).as(name).isEmpty();
            assertThat(XlsxFile.elements(xml, "hyperlink")).as(name).isEmpty();
        });
        assertThat(workbook.parts().keySet()).noneMatch(name -> name.contains("externalLink"));
    }

    @Test
    void aUrlIsNotALink() {
        assertNothingActive(write(lineWith("https://example.com/").put("target", "https://example.com/")));
    }

    @Test
    void charactersThatXmlDoesNotAllowAreReplaced() {
        assertThat(cell(write(lineWith("a\u0000b\u0001c\u000bd\u001be\ufffef")), "text")
                        .text())
                .isEqualTo("a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf");
        assertThat(cell(write(lineWith("a\tb\nc\u007fd\u0085e")), "text").text())
                .isEqualTo("a\tb\nc\u007fd\u0085e");
    }

    @Test
    void whiteSpaceAndEscapeSequencesAreKept() {
        XlsxFile workbook = write(lineWith("  _x0041_ _x005F_x0041_ x_x00e4_x "));

        assertThat(cell(workbook, "text").text()).isEqualTo("  _x0041_ _x005F_x0041_ x_x00e4_x ");
        assertThat(XlsxFile.elements(workbook.sheet("Lines").xml(), "t")
                        .filter(text -> text.getTextContent().contains("0041"))
                        .map(text -> text.getAttribute("xml:space")))
                .containsExactly("preserve");
    }

    @Test
    void aCellIsTruncatedAndMarked() {
        String longest = "x".repeat(MAX_CELL);
        assertThat(cell(write(lineWith(longest)), "text").text()).isEqualTo(longest);

        String truncated = cell(write(lineWith(longest + "x")), "text").text();
        assertThat(truncated).hasSize(MAX_CELL).startsWith("xxx").endsWith("x" + TRUNCATED);

        // the mark would begin between the surrogates of a pair
        String pairs = "y".repeat((MAX_CELL - TRUNCATED.length() + 1) % 2) + "😀".repeat(MAX_CELL);
        assertThat(cell(write(lineWith(pairs)), "text").text())
                .hasSize(MAX_CELL - 1)
                .endsWith("😀" + TRUNCATED);
    }

    @Test
    void onlyTheSelectedFieldsHaveColumns() {
        XlsxFile workbook = write(
                columns(List.of("expires", "status")),
                summary(),
                line(0, new JsonObject().put("status", 1).put("text", "a").put("expires", "2027-01-02T00:00:00Z")));

        assertThat(workbook.sheet("Lines").header().subList(9, 14))
                .containsExactly("checked_at", "expires", "status", "finding_codes", "top_finding");
        assertThat(cell(workbook, "expires").number()).isEqualTo(46_389);
        assertThat(workbook.sheet("Findings").rows()).hasSize(2);
    }

    @Test
    void findingsHaveOneRowPerLineAndFinding() {
        JsonObject failed = line(1, new JsonObject())
                .put("verdict", "fail")
                .put("findings", new JsonArray().add(finding("missing", "fail")));
        JsonObject passed = line(2, new JsonObject()).put("verdict", "pass").put("findings", new JsonArray());

        XlsxFile.Sheet sheet = write(line(0, new JsonObject()), failed, passed).sheet("Findings");

        assertThat(sheet.header())
                .containsExactly(
                        "index", "input", "target", "verdict", "part", "code", "level", "title", "message", "action");
        assertThat(sheet.rows().get(0).get("index").number()).isZero();
        assertThat(sheet.column("index")).containsExactly("0", "0", "1");
        assertThat(sheet.column("input")).containsOnly("Example.com");
        assertThat(sheet.column("target")).containsOnly("example.com");
        assertThat(sheet.column("verdict")).containsExactly("warn", "warn", "fail");
        assertThat(sheet.column("part")).containsOnlyNulls();
        assertThat(sheet.column("code")).containsExactly("too_short", "other", "missing");
        assertThat(sheet.column("level")).containsExactly("warn", "info", "fail");
        assertThat(sheet.column("title")).containsExactly("Too short", null, "Missing");
        assertThat(sheet.column("message")).containsExactly("It is too_short.", "It is other.", "It is missing.");
        assertThat(sheet.column("action")).containsOnly("Fix it.");
    }

    @Test
    void theSummaryCountsVerdictsFindingsAndErrors() {
        JsonObject error = line(3, new JsonObject())
                .put("verdict", "error")
                .put("findings", new JsonArray())
                .put("error", new JsonObject().put("code", "dns_timeout").put("message", "No response."));

        XlsxFile.Sheet sheet = write(
                        line(0, new JsonObject()), line(2, new JsonObject()), error, withoutResult(4, "cancelled"))
                .sheet("Summary");

        assertThat(sheet.header()).containsExactly("kind", "part", "code", "level", "title", "count", "indexes");
        assertThat(sheet.column("kind").subList(0, 9)).containsOnly("lines");
        assertThat(IntStream.range(0, 9)
                        .mapToObj(i -> sheet.column("code").get(i) + " "
                                + (int) sheet.rows().get(i).get("count").number()))
                .containsExactly(
                        "total 4",
                        "pending 0",
                        "running 0",
                        "done 3",
                        "pass 0",
                        "warn 2",
                        "fail 0",
                        "error 1",
                        "cancelled 1");
        assertThat(sheet.rows().subList(9, sheet.rows().size()).stream()
                        .map(row -> row.values().stream().map(Cell::text).toList()))
                .containsExactly(
                        List.of("finding", "too_short", "warn", "Too short", "2", "0 2"),
                        List.of("finding", "other", "info", "2", "0 2"),
                        List.of("error", "dns_timeout", "1", "3"));
    }

    private static JsonObject withoutResult(int index, String state) {
        JsonObject line =
                new JsonObject().put("index", index).put("input", "b.test").put("state", state);
        for (String name :
                List.of("target", "verdict", "fields", "findings", "error", "checked_at", "duration_ms", "cached")) {
            line.putNull(name);
        }
        return line;
    }

    @ParameterizedTest
    @ValueSource(strings = {"pending", "running", "cancelled"})
    void aLineWithoutAResultHasItsInputAndState(String state) {
        XlsxFile workbook = write(withoutResult(3, state));

        assertThat(workbook.sheet("Lines").rows())
                .containsExactly(Map.of(
                        "index",
                        new Cell("n", "3", null),
                        "input",
                        new Cell("inlineStr", "b.test", null),
                        "state",
                        new Cell("inlineStr", state, null)));
        assertThat(workbook.sheet("Findings").rows()).isEmpty();
    }

    @Test
    void aWorkbookWithoutLinesHasHeaders() {
        XlsxFile workbook = write();

        assertThat(workbook.sheet("Lines").header()).hasSize(19);
        assertThat(workbook.sheet("Lines").rows()).isEmpty();
        assertThat(workbook.sheet("Findings").header()).hasSize(10);
        assertThat(workbook.sheet("Findings").rows()).isEmpty();
        assertThat(workbook.sheet("Summary").rows()).hasSize(9);
        assertThat(filter(workbook, "Lines")).isEqualTo("A1:S1");
    }

    @Test
    void aModuleThatNoLongerExistsHasBaseColumns() {
        XlsxFile workbook = write(
                new LineColumns(LineColumns.OF_JOB, null, List.of(), List.of(), false),
                new PortfolioSummary(null, List.of(), LineFilter.NONE),
                line(0, new JsonObject().put("status", 1)));

        assertThat(workbook.sheet("Lines").header()).hasSize(12).endsWith("checked_at", "finding_codes", "top_finding");
        assertThat(workbook.sheet("Findings").column("code")).containsExactly("too_short", "other");
        assertThat(workbook.sheet("Findings").column("title")).containsOnlyNulls();
    }

    @Test
    void theProblemsOfACompositeNameTheirPart() {
        ModuleDescription part = ModuleDescriptionBuilder.of("hsts", "HSTS", InputType.DOMAIN)
                .partOf("site", "web")
                .findings(code("too_short", "max-age is too short", Level.WARN))
                .build();
        ModuleDescription composite = ModuleDescriptionBuilder.of("site", "Site", InputType.DOMAIN)
                .area("web", "Website")
                .fields(
                        Descriptions.object("parts", "Parts", "The parts."),
                        Descriptions.array("causes", "Causes", "The problems.", FieldType.OBJECT))
                .findings(code("part_warn", "Warning of a check", Level.WARN))
                .build();
        JsonObject fields = new JsonObject()
                .put("parts", new JsonObject().put("hsts", new JsonObject().put("verdict", "warn")))
                .put("causes", new JsonArray().add(finding("too_short", "warn").put("module", "hsts")));
        JsonObject line = line(0, fields).put("findings", new JsonArray().add(finding("part_warn", "warn")));

        XlsxFile workbook = write(
                new LineColumns(
                        LineColumns.OF_JOB, composite, List.of(new CompositePart(part, "web")), List.of(), false),
                new PortfolioSummary(composite, List.of(part), LineFilter.NONE),
                line);

        assertThat(cell(workbook, "hsts_verdict").text()).isEqualTo("warn");
        assertThat(cell(workbook, "finding_codes").text()).isEqualTo("part_warn");
        XlsxFile.Sheet findings = workbook.sheet("Findings");
        assertThat(findings.column("part")).containsExactly("hsts");
        assertThat(findings.column("code")).containsExactly("too_short");
        assertThat(findings.column("title")).containsExactly("max-age is too short");
        assertThat(findings.column("action")).containsExactly("Fix it.");
        assertThat(workbook.sheet("Summary").rows().get(9).values())
                .extracting(Cell::text)
                .containsExactly("finding", "hsts", "too_short", "warn", "max-age is too short", "1", "0");
    }

    @Provide
    Arbitrary<String> anyText() {
        return Arbitraries.strings()
                .withChars("=+-@_x0041\t\r\n <>&'\"\u0000\u0001\u001f\u007f\ufffd\ufffe\uffff")
                .withCharRange('a', '\u2fff')
                .ofMaxLength(200);
    }

    /** Whatever a target returns, the workbook has the same text, except for characters that XML does not allow. */
    @Property(tries = 200)
    void everyTextIsPreserved(@ForAll @From("anyText") String text) {
        XlsxFile workbook = write(lineWith(text));

        Cell cell = cell(workbook, "text");
        assertThat(cell.type()).isEqualTo("inlineStr");
        assertThat(cell.text())
                .isEqualTo(text.replaceAll("[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff]", "\ufffd"));
        assertNothingActive(workbook);
    }

    @Test
    void aLineThatIsNotAResultIsRejected() throws IOException {
        ResultWorkbook workbook = new ResultWorkbook(OutputStream.nullOutputStream(), columns(List.of()), summary());
        workbook.endLines();

        assertThatThrownBy(() -> workbook.addFindings("{}".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("verdict");
    }

    private static final int LINES = 500;
    private static final int LINE_BYTES = 64 * 1024;
    private static final int HEAP_MIB = 32;

    /** Writes 500 lines of 64 KiB, most of it in findings, which do not compress well. */
    static final class LargeWorkbook {
        private static final int NOISE_BYTES = LINE_BYTES * 9 / 16;

        private LargeWorkbook() {}

        public static void main(String[] arguments) throws IOException {
            long[] written = {0};
            OutputStream out = new OutputStream() {
                @Override
                public void write(int b) {
                    written[0]++;
                }

                @Override
                public void write(byte[] bytes, int offset, int length) {
                    written[0] += length;
                }
            };
            ResultWorkbook workbook = new ResultWorkbook(out, columns(List.of()), summary());
            for (int i = 0; i < LINES; i++) {
                workbook.addLine(large(i));
            }
            workbook.endLines();
            for (int i = 0; i < LINES; i++) {
                workbook.addFindings(large(i));
            }
            workbook.finish();
            System.out.println(written[0]);
        }

        static byte[] large(int index) {
            byte[] noise = new byte[NOISE_BYTES];
            new Random(index).nextBytes(noise);
            String text = Base64.getEncoder().encodeToString(noise);
            JsonArray findings = new JsonArray();
            for (int at = 0; at + 1024 <= text.length() * 3 / 4; at += 1024) {
                findings.add(finding("too_short", "warn").put("message", text.substring(at, at + 1024)));
            }
            return bytes(line(index, new JsonObject().put("text", text.substring(text.length() * 3 / 4)))
                    .put("findings", findings));
        }
    }

    /** In another process with a small heap. */
    @Test
    @Tag("integration")
    void largeResultsNeedLittleMemory() throws IOException, InterruptedException {
        assertThat(LargeWorkbook.large(0).length).isBetween(LINE_BYTES * 3 / 4, LINE_BYTES);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx" + HEAP_MIB + "m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LargeWorkbook.class.getName())
                .redirectErrorStream(true)
                .start();

        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        // the noise has 6 bits per character, so that the workbook is larger than the heap
        assertThat(Long.parseLong(output.strip())).isGreaterThan(HEAP_MIB << 20 >> 1);
    }
}
