package dev.plumbline.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

class ResultJsonTest {
    private static final DateTimeFormatter SAME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    @Property
    void formatsTimesAsTheJdkDoes(
            @ForAll @LongRange(min = -62_135_596_800_000L, max = 253_402_300_799_999L) long millis) {
        Instant instant = Instant.ofEpochMilli(millis);

        assertThat(ResultJson.time(instant)).isEqualTo(SAME.format(instant));
        assertThat(Instant.parse(ResultJson.time(instant))).isEqualTo(instant);
    }

    @Provide
    Arbitrary<CheckResult> results() {
        Arbitrary<String> text = Arbitraries.strings()
                .withCharRange(' ', '\ud7ff')
                .withChars('\n', '"', '\\')
                .ofMaxLength(20);
        Arbitrary<Instant> time = Arbitraries.longs()
                .between(-100_000_000_000L, 300_000_000_000L)
                .flatMap(seconds -> Arbitraries.longs()
                        .between(0, 999_999_999)
                        .map(nanos -> Instant.ofEpochSecond(seconds, nanos)));
        Arbitrary<Object> scalar = Arbitraries.oneOf(
                text.asGeneric(),
                Arbitraries.of(true, false).asGeneric(),
                Arbitraries.integers().asGeneric(),
                Arbitraries.longs().asGeneric(),
                Arbitraries.doubles()
                        .withSpecialValue(Double.NaN)
                        .withSpecialValue(Double.NEGATIVE_INFINITY)
                        .asGeneric(),
                time.asGeneric());
        Arbitrary<Object> row =
                Arbitraries.maps(text, scalar.injectNull(0.1)).ofMaxSize(4).asGeneric();
        Arbitrary<Object> rows = Arbitraries.oneOf(scalar, row)
                .injectNull(0.1)
                .list()
                .ofMaxSize(4)
                .asGeneric();
        Arbitrary<Map<String, Object>> fields = Arbitraries.maps(
                        text, Arbitraries.oneOf(scalar, row, rows).injectNull(0.1))
                .ofMaxSize(6);
        Arbitrary<Finding> finding = Combinators.combine(
                        Arbitraries.of(Level.class), text, text.injectNull(0.3), text, text, text.injectNull(0.3))
                .as(Finding::new);
        Arbitrary<CheckError> error = Combinators.combine(Arbitraries.of(ErrorCode.class), text)
                .as(CheckError::new)
                .injectNull(0.5);
        return Combinators.combine(
                        text,
                        Arbitraries.of(Verdict.class),
                        fields,
                        finding.list().ofMaxSize(3),
                        text.list().ofMaxSize(2),
                        error,
                        Arbitraries.longs().between(0, 4_000_000_000_000L).map(Instant::ofEpochMilli),
                        Arbitraries.longs())
                .as((target, verdict, values, findings, truncated, failure, at, durationMs) -> new CheckResult(
                        "any", "any/1", target, verdict, values, findings, truncated, failure, at, durationMs));
    }

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void rulesOfAnEarlierVersionAreNull(@ForAll("results") CheckResult result) {
        String current = new String(ResultJson.write(result), StandardCharsets.UTF_8);
        byte[] earlier = current.replaceFirst("\"rules\":\"any/1\",", "").getBytes(StandardCharsets.UTF_8);
        byte[] withNull = ResultJson.withRules(earlier);

        assertThat(ResultJson.read(earlier).rules()).isNull();
        assertThat(new String(withNull, StandardCharsets.UTF_8)).isEqualTo(current.replaceFirst("\"any/1\"", "null"));
        assertThat(ResultJson.withRules(withNull)).isSameAs(withNull);
    }

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void normalizesAsWritingAndReadingDoes(@ForAll("results") CheckResult result) {
        assertThat(ResultJson.normalize(result)).isEqualTo(ResultJson.read(ResultJson.write(result)));
    }
}
