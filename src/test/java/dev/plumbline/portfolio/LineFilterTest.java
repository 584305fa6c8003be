package dev.plumbline.portfolio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LineFilterTest {
    private static final PortfolioLine LINE = PortfolioLine.parse(
            """
            {"input":"Bücher.Example","target":"xn--bcher-kva.example","verdict":"fail",
             "fields":{"causes":[{"code":"expired","module":"ssl-certificate","level":"fail","message":""}]},
             "findings":[{"level":"fail","code":"part_fail","message":""},{"level":"info","code":"own","message":""}]}
            """
                    .getBytes(StandardCharsets.UTF_8));
    private static final PortfolioLine PENDING =
            PortfolioLine.parse("{\"input\":\"a.test\",\"verdict\":null}".getBytes(StandardCharsets.UTF_8));

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
        ", hsts/expired, '', false",
        ", own, '', true",
        ", /own, '', false",
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

    @Test
    void anUnknownVerdictIsRejected() {
        assertThatThrownBy(() -> new LineFilter(Set.of("Pass"), Set.of(), ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Unknown verdict 'Pass'. Verdicts: pass, warn, fail, error.");
    }
}
