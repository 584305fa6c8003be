package dev.plumbline.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.plumbline.check.CompositePart;
import dev.plumbline.check.ResultAssembler;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.LimitWait;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import java.io.IOException;
import java.io.StringWriter;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The columns and their content are those of the CSV of a job, see ResultFormatTest. */
class CsvReportTest {
    private static final Instant TIME = Instant.parse("2026-11-20T10:00:00.123Z");
    private static final ModuleDescription MODULE = ModuleDescriptionBuilder.of("sample", "Sample", InputType.URL)
            .fields(Descriptions.string("text", "Text", "A text."))
            .build();

    private static NamedCsvRecord csv(CheckResult result) throws IOException {
        StringWriter out = new StringWriter();
        new CsvReport(MODULE, List.of(), false, out).line(new CheckedLine(0, "input", result, LimitWait.NONE, false));
        return CsvReader.builder().ofNamedCsvRecord(out.toString()).stream()
                .findFirst()
                .orElseThrow();
    }

    private static CheckResult result(Verdict verdict, Finding... findings) {
        return new CheckResult(
                "sample", null, "target", verdict, Map.of("text", "a"), List.of(findings), List.of(), null, TIME, 1);
    }

    @Test
    void findingsAreTheLastColumns() throws IOException {
        assertThat(csv(result(Verdict.PASS)).getHeader())
                .containsExactly(
                        "index",
                        "input",
                        "target",
                        "verdict",
                        "error_code",
                        "error_message",
                        "duration_ms",
                        "checked_at",
                        "text",
                        "finding_codes",
                        "top_finding");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void compositesHaveAColumnWithTheVerdictOfEachPart(boolean list) throws IOException {
        ModuleDescription composite = ModuleDescriptionBuilder.of("site", "Site", InputType.DOMAIN)
                .area("web", "Website")
                .fields(Descriptions.object("parts", "Parts", "The parts."))
                .build();
        List<CompositePart> parts = Stream.of("http-status", "spf", "mx")
                .map(name -> new CompositePart(
                        ModuleDescriptionBuilder.of(name, name, InputType.DOMAIN)
                                .partOf("site", "web")
                                .build(),
                        "web"))
                .toList();
        Object field = list
                ? List.of(Map.of("module", "mx", "verdict", "fail"), Map.of("module", "http-status", "verdict", "pass"))
                : Map.of("mx", Map.of("verdict", "fail"), "http-status", Map.of("verdict", "pass"));
        CheckResult result = new CheckResult(
                "site", null, "a.test", Verdict.FAIL, Map.of("parts", field), List.of(), List.of(), null, TIME, 1);
        StringWriter out = new StringWriter();
        new CsvReport(composite, parts, false, out).line(new CheckedLine(0, "a.test", result, LimitWait.NONE, false));

        NamedCsvRecord line = CsvReader.builder().ofNamedCsvRecord(out.toString()).stream()
                .findFirst()
                .orElseThrow();
        assertThat(line.getHeader())
                .containsSubsequence("parts", "http_status_verdict", "spf_verdict", "mx_verdict", "finding_codes");
        assertThat(line.getField("http_status_verdict")).isEqualTo("pass");
        assertThat(line.getField("spf_verdict")).isEmpty();
        assertThat(line.getField("mx_verdict")).isEqualTo("fail");
    }

    @Test
    void topFindingIsTheMessageAndActionOfTheFirstWorstFinding() throws IOException {
        NamedCsvRecord cells = csv(result(
                Verdict.FAIL,
                new Finding(Level.INFO, "a", null, "A.", "Do a.", null),
                new Finding(Level.FAIL, "b", null, "B.", "Do b.", null),
                new Finding(Level.FAIL, "c", null, "C.", "Do c.", null)));

        assertThat(cells.getField("finding_codes")).isEqualTo("a b c");
        assertThat(cells.getField("top_finding")).isEqualTo("B. Do b.");
    }

    /** A file is printed on terminals, and opened by spreadsheets whose separator is a semicolon. */
    @Test
    void cellsDoNotControlTerminalsAndSpreadsheets() throws IOException {
        String hostile = "\u001b]0;title\u0007 \u202egnp.exe\u0085\u200b\t=1\r\n";
        CheckResult result = new CheckResult(
                "sample",
                null,
                hostile,
                Verdict.FAIL,
                Map.of("text", List.of(hostile)),
                List.of(new Finding(Level.FAIL, "b", null, hostile, "a;=1+1", null)),
                List.of(),
                new CheckError(ErrorCode.INTERNAL, hostile),
                TIME,
                1);
        StringWriter out = new StringWriter();
        new CsvReport(MODULE, List.of(), false, out).line(new CheckedLine(0, hostile, result, LimitWait.NONE, false));

        String record = out.toString().lines().skip(1).collect(Collectors.joining());
        assertThat(record).doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");
        assertThat(record)
                .contains(",\"\ufffd]0;title\ufffd \ufffdgnp.exe\ufffd\ufffd\ufffd=1\ufffd\ufffd\",")
                .endsWith(" a;=1+1\"");
    }

    @Test
    void informationCanBeTheTopFinding() throws IOException {
        NamedCsvRecord cells = csv(result(Verdict.PASS, new Finding(Level.INFO, "a", null, "A.", "", null)));

        assertThat(cells.getField("top_finding")).isEqualTo("A.");
    }

    @Test
    void invalidTargetHasAnErrorAndNoTopFinding() throws IOException {
        NamedCsvRecord cells = csv(ResultAssembler.withoutTarget(
                MODULE, new CheckError(ErrorCode.INVALID_TARGET, "The target is not valid."), TIME));

        assertThat(cells.getField("error_message")).isEqualTo("The target is not valid.");
        assertThat(cells.getField("finding_codes")).isEmpty();
        assertThat(cells.getField("top_finding")).isEmpty();
    }
}
