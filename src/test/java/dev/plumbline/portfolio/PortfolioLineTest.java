package dev.plumbline.portfolio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.plumbline.portfolio.PortfolioLine.LineFinding;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.ResultJson;
import dev.plumbline.result.Verdict;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PortfolioLineTest {
    private static PortfolioLine parse(String json) {
        return PortfolioLine.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aLineOfAJobIsRead() {
        PortfolioLine line = parse(
                """
                {"index":7,"input":"Example.com","state":"done","target":"https://example.com/","verdict":"fail",
                 "fields":{"status":404,"ms":1.5,"big":20000000000,"hops":["a"],"chain":{"a":null}},
                 "findings":[{"level":"fail","code":"not_found","field":"status","message":"404.","action":"Fix."}],
                 "truncated":[],"error":{"code":"connect_refused","message":"no","retryable":true},
                 "checked_at":"2026-11-20T10:00:00.123Z","duration_ms":84,"rules":"http-status/3","cached":false}
                """);

        assertThat(line.index()).isEqualTo(7);
        assertThat(line.input()).isEqualTo("Example.com");
        assertThat(line.target()).isEqualTo("https://example.com/");
        assertThat(line.state()).isEqualTo("done");
        assertThat(line.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(line.fields())
                .contains(
                        entry("status", 404),
                        entry("ms", 1.5),
                        entry("big", 20_000_000_000L),
                        entry("hops", List.of("a")));
        assertThat(line.findings()).containsExactly(new LineFinding(null, "not_found", Level.FAIL, "404.", "Fix."));
        assertThat(line.errorCode()).isEqualTo("connect_refused");
        assertThat(line.rules()).isEqualTo("http-status/3");
        assertThat(line.module()).isNull();
    }

    @Test
    void aLineWithoutAResultIsRead() {
        PortfolioLine line = parse("{\"index\":0,\"input\":\"a.test\",\"state\":\"running\",\"target\":null,"
                + "\"verdict\":null,\"fields\":null,\"findings\":null,\"error\":null}");

        assertThat(line)
                .isEqualTo(
                        new PortfolioLine(0, "a.test", null, "running", null, Map.of(), List.of(), null, null, null));
        assertThat(line.hasResult()).isFalse();
    }

    @Test
    void theOutputOfACheckIsRead() {
        CheckResult result = new CheckResult(
                "hsts",
                "hsts/3",
                "https://a.test/",
                Verdict.WARN,
                Map.of("present", true),
                List.of(new Finding(Level.WARN, "short", "present", "Short.", "Set it.", null)),
                List.of(),
                new CheckError(ErrorCode.READ_TIMEOUT, "no"),
                Instant.EPOCH,
                1);

        PortfolioLine line = PortfolioLine.parse(ResultJson.write(result));

        assertThat(line)
                .isEqualTo(new PortfolioLine(
                        0,
                        "https://a.test/",
                        "https://a.test/",
                        "done",
                        Verdict.WARN,
                        Map.of("present", true),
                        List.of(new LineFinding(null, "short", Level.WARN, "Short.", "Set it.")),
                        "read_timeout",
                        "hsts/3",
                        "hsts"));
        assertThat(line.at(3).index()).isEqualTo(3);
        assertThat(line.at(3).at(0)).isEqualTo(line);
    }

    @Test
    void problemsOfPartsReplaceTheFindingsThatReportThem() {
        PortfolioLine line = parse(
                """
                {"target":"a.test","verdict":"fail",
                 "fields":{"causes":[
                   {"code":"expired","module":"ssl-certificate","level":"fail","message":"Expired.","parts":[]},
                   {"code":"connect_timeout","module":"smtp","level":"info","message":"Timeout.","parts":[]}]},
                 "findings":[{"level":"fail","code":"part_fail","message":"Certificate: Expired."},
                             {"level":"info","code":"part_error","message":"SMTP: Timeout."},
                             {"level":"info","code":"of_composite","message":"Own."}]}
                """);

        assertThat(line.findings())
                .containsExactly(
                        new LineFinding(null, "of_composite", Level.INFO, "Own.", ""),
                        new LineFinding("ssl-certificate", "expired", Level.FAIL, "Expired.", ""),
                        new LineFinding("smtp", "connect_timeout", Level.INFO, "Timeout.", ""));
        assertThat(line.findings())
                .extracting(LineFinding::path)
                .containsExactly("of_composite", "ssl-certificate/expired", "smtp/connect_timeout");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            quoteCharacter = '^',
            value = {
                "^^ => not a JSON object",
                "null => not a JSON object",
                "[] => not a JSON object",
                "{\"verdict\":null} x => not a JSON object",
                "{\"verdict\":nul => not a JSON object",
                "{\"input\":\"a\"} => not a result: 'verdict' is missing",
                "{\"verdict\":null} => not a result: 'input' and 'target' are missing",
                "{\"verdict\":\"PASS\",\"input\":\"a\"} => 'verdict' is 'PASS', not pass, warn, fail or error",
                "{\"verdict\":1,\"input\":\"a\"} => 'verdict' is not a string",
                "{\"verdict\":null,\"input\":1} => 'input' is not a string",
                "{\"verdict\":null,\"input\":\"a\",\"index\":-1} => 'index' is not an integer of at least 0",
                "{\"verdict\":null,\"input\":\"a\",\"index\":1.5} => 'index' is not an integer of at least 0",
                "{\"verdict\":null,\"input\":\"a\",\"fields\":[]} => 'fields' is not an object",
                "{\"verdict\":null,\"input\":\"a\",\"fields\":{\"a\":1e999}} => 'fields' contains a number over 1.8e308",
                "{\"verdict\":null,\"input\":\"a\",\"fields\":{\"a\":[{\"b\":-1e999}]}} => 'fields' contains a number over 1.8e308",
                "{\"verdict\":null,\"input\":\"a\",\"findings\":{}} => 'findings' is not an array",
                "{\"verdict\":null,\"input\":\"a\",\"findings\":[1]} => 'findings' contains a value that is not an object",
                "{\"verdict\":null,\"input\":\"a\",\"findings\":[{\"level\":\"bad\",\"code\":\"c\"}]}"
                        + " => 'finding.level' is 'bad', not info, warn or fail",
                "{\"verdict\":null,\"input\":\"a\",\"findings\":[{\"level\":\"info\"}]} => 'finding.code' is not a string",
                "{\"verdict\":null,\"input\":\"a\",\"error\":\"e\"} => 'error' is not an object",
                "{\"verdict\":null,\"input\":\"a\",\"error\":{}} => 'error.code' is not a string"
            })
    void theProblemOfAnotherTextIsNamed(String json, String problem) {
        assertThatThrownBy(() -> parse(json))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(problem);
    }

    @Property
    void anyBytesAreReadOrRejected(@ForAll byte[] json) {
        try {
            assertThat(PortfolioLine.parse(json)).isNotNull();
        } catch (IllegalArgumentException rejected) {
            assertThat(rejected).hasMessageContaining("not a");
        }
    }
}
