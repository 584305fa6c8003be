package dev.plumbline.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ResultAssembler;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.LimitWait;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextReportTest {
    private static final ModuleDescription MODULE = ModuleDescriptionBuilder.of("sample", "Sample", InputType.URL)
            .fields(
                    Descriptions.string("text", "Text", "A text."),
                    Descriptions.array("list", "List", "A list.", FieldType.STRING),
                    Descriptions.table("table", "Table", "A table.", Descriptions.string("cell", "Cell", "A cell.")),
                    Descriptions.object("free", "Free", "Whatever."),
                    Descriptions.time("at", "At", "A time."),
                    Descriptions.orNull(Descriptions.string("none", "None", "Nothing.")))
            .build();

    private static String report(CheckResult result) {
        return TextReport.of(MODULE, new CheckedLine(0, "input", result, LimitWait.NONE, false));
    }

    @Test
    void anInvalidTargetIsPrintedAsGiven() {
        CheckError error = new CheckError(ErrorCode.INVALID_TARGET, "The target is not valid.");

        assertThat(report(ResultAssembler.withoutTarget(MODULE, error, Instant.EPOCH)))
                .startsWith("ERROR  Sample for input\n");
    }

    @Test
    void verdictFindingsAndFieldsArePrinted() {
        String report = report(result("plain", "plain"));

        assertThat(report)
                .isEqualTo(
                        """
            WARN  Sample for plain
              internal: plain

            WARN  plain
                  plain

              text   plain
              list   plain, b
              table  cell=plain
                     cell=c
              free   plain=plain
              at     2026-11-20T10:00:00.000Z

              checked 2026-11-20T10:00:00.123Z in 84 ms, rules sample/1""");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u001b[31mred",
                "\u001b]0;title\u0007",
                "\u009b31m",
                "a\u202eb",
                "a\u2066b",
                "a\u200bb",
                "a\u2028b",
                "a\u2029b",
                "a\r\nPASS  all is well",
                "a\nb",
                "a\tb",
                "a\bb",
                "a\0b",
                "a\u007fb",
                "a\u0085b",
                "\ud800",
                "a\udc00b"
            })
    void textOfTargetsDoesNotControlTheTerminal(String hostile) {
        String harmless = report(result("plain", "plain"));

        String report = report(result(hostile, hostile));

        assertThat(report.lines().count()).as(report).isEqualTo(harmless.lines().count());
        assertThat(report.replace("\n", ""))
                .doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}]")
                .contains("\ufffd");
    }

    @Test
    void nonAsciiTextIsPrintedUnchanged() {
        assertThat(report(result("m\u00fcnchen \ud83d\ude00", "\u0431")))
                .contains("text   \u0431")
                .contains("Sample for m\u00fcnchen \ud83d\ude00\n");
    }

    @Test
    void eachHeaderValueIsOnItsOwnLine() {
        Map<String, Object> headers = new LinkedHashMap<>();
        headers.put("set-cookie", List.of("a=1; Path=/", "b=2"));
        headers.put("server", List.of("nginx"));
        Map<String, @Nullable Object> fields =
                new LinkedHashMap<>(result("t", "t").fields());
        fields.put("free", headers);

        assertThat(report(with(fields, List.of())))
                .contains(
                        """
              free   set-cookie=a=1; Path=/
                     set-cookie=b=2
                     server=nginx
            """);
    }

    @Test
    void nestedValuesAreIndented() {
        Map<String, Object> inner = new LinkedHashMap<>();
        inner.put("term", "a");
        inner.put("tree", Map.of("terms", List.of(Map.of("term", "b"), Map.of("term", "c"))));
        CheckResult plain = result("t", "t");
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(plain.fields());
        fields.put("free", Map.of("A", List.of(inner, Map.of("term", "d"))));

        String report = report(with(fields, List.of()));

        assertThat(report)
                .contains(
                        """
              free   A
                       term=a
                       tree
                         terms
                           term=b
                           term=c
                       term=d
            """
                                .stripTrailing());
    }

    @Test
    void missingValuesAreDistinct() {
        CheckResult plain = result("t", "-");
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(plain.fields());
        fields.put("list", List.of());
        fields.put("free", Map.of());
        fields.put("table", List.of(Map.of("cell", "")));

        assertThat(report(with(fields, List.of())))
                .contains(
                        """
              text   -
              list   (none)
              table  cell=(empty)
              free   (none)
              at     2026-11-20T10:00:00.000Z
              none   (no value)
            """
                                .stripTrailing());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCompositeStartsWithTheProblemsToFixFirst(boolean list) {
        ModuleDescription composite = ModuleDescriptionBuilder.of("site", "Site", InputType.DOMAIN)
                .area("web", "Website")
                .area("mail", "Mail")
                .fields(Descriptions.object("parts", "Parts", "The parts."))
                .build();
        Map<String, @Nullable Object> certificate = cause("fail", "unavailable", "It expired.", "Renew it.");
        Map<String, @Nullable Object> status =
                part("http-status", "fail", "200, 84 ms", Map.of("message", "It expired."));
        status.put("unverified", true);
        Map<String, @Nullable Object> spf = part("spf", "pass", "-all", null);
        Map<String, @Nullable Object> dmarc = part("dmarc", "error", null, Map.of("message", "Timed\u001bout."));
        Map<String, Object> byModule = new LinkedHashMap<>();
        List.of(status, spf, dmarc).forEach(each -> byModule.put((String) each.get("module"), each));
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        Map<String, @Nullable Object> mail = new HashMap<>();
        mail.put("grade", null);
        fields.put("areas", Map.of("web", Map.of("grade", "F", "score", 0), "mail", mail));
        fields.put("fix_first", List.of(certificate));
        fields.put("causes", List.of(certificate, cause("info", "recommended", "Timed out.", "Run this check again.")));
        fields.put("parts", list ? List.of(status, spf, dmarc) : byModule);

        assertThat(TextReport.of(
                        composite, new CheckedLine(0, "input", with(fields, List.of()), LimitWait.NONE, false)))
                .contains(
                        """

                          Website        F  0 of 100
                          Mail           ?  not determined

                        FIX FIRST
                          Does not work: It expired.
                              Renew it.
                              Affects: http-status, hsts

                        OTHER PROBLEMS
                          Not determined: Timed out.
                              Run this check again.
                              Affects: http-status, hsts

                        CHECKS
                          fail   http-status  200, 84 ms (unverified)
                          pass   spf          -all
                          error  dmarc        Timed\ufffdout.
                        """);
    }

    private static Map<String, @Nullable Object> cause(
            String level, String consequence, String message, String action) {
        return new LinkedHashMap<>(Map.of(
                "level",
                level,
                "consequence",
                consequence,
                "message",
                message,
                "action",
                action,
                "parts",
                List.of("http-status", "hsts")));
    }

    private static Map<String, @Nullable Object> part(
            String module, String verdict, @Nullable String headline, @Nullable Object error) {
        Map<String, @Nullable Object> part = new LinkedHashMap<>();
        part.put("module", module);
        part.put("verdict", verdict);
        part.put("headline", headline);
        part.put("error", error);
        return part;
    }

    @Test
    void internationalizedNamesArePrintedWithTheirALabels() {
        assertThat(report(result("xn--bcher-kva.example", "plain")))
                .startsWith("WARN  Sample for b\u00fccher.example (xn--bcher-kva.example)\n");
    }

    @Test
    void findingsAreSortedBySeverity() {
        List<Finding> findings = List.of(
                new Finding(Level.INFO, "a", null, "Information.", "", null),
                new Finding(Level.WARN, "b", null, "Dubious.", "", null),
                new Finding(Level.FAIL, "c", null, "Bad.", "", null),
                new Finding(Level.WARN, "d", null, "Odd.", "", null));

        assertThat(report(with(Map.of(), findings)).lines())
                .containsSubsequence("FAIL  Bad.", "WARN  Dubious.", "WARN  Odd.", "INFO  Information.");
    }

    private static CheckResult with(Map<String, @Nullable Object> fields, List<Finding> findings) {
        return new CheckResult(
                "sample",
                "sample/1",
                "t",
                Verdict.PASS,
                fields,
                findings,
                List.of(),
                null,
                Instant.parse("2026-11-20T10:00:00.123Z"),
                1);
    }

    /** A result with a text in every position. */
    private static CheckResult result(String target, String text) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("text", text);
        fields.put("list", List.of(text, "b"));
        fields.put("table", List.of(Map.of("cell", text), Map.of("cell", "c")));
        fields.put("free", Map.of(text, text));
        fields.put("at", Instant.parse("2026-11-20T10:00:00Z"));
        fields.put("none", null);
        return new CheckResult(
                "sample",
                "sample/1",
                target,
                Verdict.WARN,
                fields,
                List.of(new Finding(Level.WARN, "code", null, text, text, null)),
                List.of(),
                new CheckError(ErrorCode.INTERNAL, text),
                Instant.parse("2026-11-20T10:00:00.123Z"),
                84);
    }
}
