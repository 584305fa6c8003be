package dev.plumbline.portfolio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LineFilterTest {
    private static final PortfolioLine LINE = line(
            """
            {"input":"Bücher.Example","target":"xn--bcher-kva.example","verdict":"fail",
             "fields":{"causes":[
               {"code":"expired","module":"ssl-certificate","level":"fail","parts":["ssl-certificate","hsts"]},
               {"code":"connect_timeout","module":"smtp","level":"info","parts":["smtp","starttls-certificate"]}]},
             "findings":[{"level":"fail","code":"part_fail","message":""},{"level":"info","code":"own","message":""}]}
            """);
    private static final PortfolioLine PENDING = line("{\"input\":\"a.test\",\"verdict\":null}");

    private static PortfolioLine line(String json) {
        return PortfolioLine.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    private static Set<String> set(String list) {
        return list == null ? Set.of() : Set.of(list.split(","));
    }

    @ParameterizedTest
    @CsvSource({
        "fail, , '', true",
        "'warn,fail', , '', true",
        "'pass,error', , '', false",
        ", expired, '', true",
        ", ssl-certificate/expired, '', true",
        ", hsts/expired, '', true",
        ", caa/expired, '', false",
        ", smtp/connect_timeout, '', true",
        ", starttls-certificate/connect_timeout, '', true",
        ", connect_timeout, '', true",
        ", part_error, '', true",
        ", own, '', true",
        ", hsts/own, '', false",
        ", part_fail, '', true",
        ", part_warn, '', false",
        ", 'missing,own', '', true",
        ", , BÜCHER, true",
        ", , BCHER-kva, true",
        ", , other, false",
        "fail, own, example, true",
        "pass, own, example, false",
        "fail, missing, example, false"
    })
    void eachConditionMustMatch(String verdicts, String findings, String text, boolean matches) {
        assertThat(new LineFilter(set(verdicts), set(findings), text).matches(LINE))
                .isEqualTo(matches);
    }

    @Test
    void aLineWithoutAResultMatchesOnlyText() {
        assertThat(new LineFilter(Set.of("pass", "warn", "fail", "error"), Set.of(), "").matches(PENDING))
                .isFalse();
        assertThat(new LineFilter(Set.of(), Set.of("own"), "").matches(PENDING)).isFalse();
        assertThat(new LineFilter(Set.of(), Set.of(), "A.T").matches(PENDING)).isTrue();
        assertThat(LineFilter.NONE.matches(PENDING)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "connect_refused, true",
        "status_client_error, true",
        "connect_timeout, false",
        "http-status/connect_refused, false"
    })
    void theErrorOfALineIsACode(String code, boolean matches) {
        PortfolioLine refused = line("{\"input\":\"a.test\",\"verdict\":\"fail\",\"findings\":[{\"level\":\"fail\","
                + "\"code\":\"status_client_error\"}],\"error\":{\"code\":\"connect_refused\"}}");

        assertThat(new LineFilter(Set.of(), Set.of(code), "").matches(refused)).isEqualTo(matches);
    }

    /** A part of {@code overview}, then of {@code mail-health}. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "[{'module':'hsts','top_finding':{'level':'info','code':'hsts_several'},'error':{'code':'read_timeout'}}]",
                "{'hsts':{'code':'hsts_several','error':'read_timeout'},'dmarc':{'code':null,'error':null}}"
            })
    void theErrorAndTheWorstFindingOfEachPartMatch(String parts) {
        PortfolioLine line =
                line(("{'input':'a.test','verdict':'pass','findings':[],'fields':{'causes':[],'parts':" + parts + "}}")
                        .replace('\'', '"'));

        for (String code : List.of("hsts/hsts_several", "hsts_several", "hsts/read_timeout", "read_timeout")) {
            assertThat(new LineFilter(Set.of(), Set.of(code), "").matches(line))
                    .as(code)
                    .isTrue();
        }
        for (String code : List.of("dmarc/hsts_several", "part_error", "hsts")) {
            assertThat(new LineFilter(Set.of(), Set.of(code), "").matches(line))
                    .as(code)
                    .isFalse();
        }
    }

    @Property
    void problemsAreNotLimited(@ForAll @IntRange(min = 1, max = 100) int count) {
        String causes = IntStream.range(0, count)
                .mapToObj(i -> "{'code':'c" + i + "','module':'hsts','level':'warn'}")
                .collect(Collectors.joining(",", "[", "]"));
        PortfolioLine line =
                line(("{'input':'a.test','verdict':'warn','fields':{'causes':" + causes + "}}").replace('\'', '"'));

        assertThat(new LineFilter(Set.of(), Set.of("hsts/c" + (count - 1)), "").matches(line))
                .isTrue();
        assertThat(new LineFilter(Set.of(), Set.of("hsts/c" + count), "").matches(line))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Pass", "", "\u001b"})
    void anUnknownVerdictIsRejected(String verdict) {
        assertThatThrownBy(() -> new LineFilter(Set.of("fail", verdict), Set.of(), ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'" + verdict + "' is not a verdict. Use pass, warn, fail or error.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a/b/c", "/own", "Own", "hsts/"})
    void aTextThatIsNotACodeIsRejected(String finding) {
        assertThatThrownBy(() -> new LineFilter(Set.of(), Set.of("own", finding), ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'" + finding + "' is not a valid finding code. Use CODE or PART/CODE, for example"
                        + " status_client_error or hsts/hsts_short.");
    }
}
