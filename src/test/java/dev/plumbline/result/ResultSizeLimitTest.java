package dev.plumbline.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ResultAssembler;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.TargetParser;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Results stay small and list what was truncated, for any field values. */
class ResultSizeLimitTest {
    private static final int LIMIT = 64 * 1024;
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00.123Z");
    private static final List<String> NAMES = List.of("first", "second", "third", "fourth", "fifth", "sixth");
    private static final ModuleDescription MODULE = ModuleDescriptionBuilder.of("sample", "Sample", InputType.URL)
            .fields(NAMES.stream()
                    .map(name -> Descriptions.orNull(Descriptions.object(name, name, "Anything.")))
                    .toArray(FieldDescription[]::new))
            .build();

    @Property(tries = 400)
    void limitsTheSizeAndListsTruncatedFields(
            @ForAll("targets") String target, @ForAll("judgements") Evaluation judgement)
            throws InvalidTargetException {
        CheckResult result =
                ResultAssembler.assemble(MODULE, TargetParser.parse(MODULE, target), judgement, NOW, Long.MAX_VALUE);

        byte[] json = ResultJson.write(result);
        assertThat(json.length).isLessThanOrEqualTo(LIMIT - 128); // an answer adds two members
        assertThat(new JsonObject(Buffer.buffer(json)).getJsonObject("fields").fieldNames())
                .containsExactlyElementsOf(NAMES);
        assertThat(result.fields().keySet()).containsExactlyElementsOf(NAMES);
        for (String name : NAMES) {
            Object was = judgement.fields().get(name);
            Object is = result.fields().get(name);
            if (result.truncated().contains("fields." + name)) {
                assertThat(isCutOf(was, is)).as(name).isTrue();
                assertThat(is).isNotEqualTo(was);
            } else {
                assertThat(is).isEqualTo(was);
            }
        }
        assertThat(result.truncated()).doesNotHaveDuplicates();
        assertThat(result.truncated().contains("findings"))
                .isEqualTo(!result.findings().equals(judgement.findings()));
        assertThat(result.verdict())
                .isEqualTo(Verdict.of(judgement.findings(), judgement.error(), MODULE.reachability()));
        assertThat(worst(result.findings())).isEqualTo(worst(judgement.findings()));
    }

    @Property(tries = 200)
    void sizeIsAnUpperBound(@ForAll("values") @Nullable Object value) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("value", value);

        CheckResult alone = new CheckResult("", null, "", Verdict.PASS, fields, List.of(), List.of(), null, NOW, 0);
        CheckResult empty = new CheckResult("", null, "", Verdict.PASS, Map.of(), List.of(), List.of(), null, NOW, 0);
        assertThat(ResultJson.write(alone).length - ResultJson.write(empty).length)
                .isLessThanOrEqualTo(ResultSizeLimit.size(fields));
    }

    @Test
    void keepsResultsThatFit() throws InvalidTargetException {
        Evaluation judgement = new Evaluation(Map.of("first", "x".repeat(60_000)), List.of(), null);

        CheckResult result = assembled(judgement);

        assertThat(result.fields()).containsEntry("first", judgement.fields().get("first"));
        assertThat(result.truncated()).isEmpty();
    }

    @Test
    void truncatesTheLargestFieldFirst() throws InvalidTargetException {
        List<String> many = Collections.nCopies(9_000, "0123456789");
        Evaluation judgement = new Evaluation(Map.of("first", "x".repeat(10_000), "second", many), List.of(), null);

        CheckResult result = assembled(judgement);

        assertThat(result.truncated()).containsExactly("fields.second");
        assertThat((List<?>) result.fields().get("second")).hasSize(4_211);
    }

    /** The largest `dns-records` result: TXT data of 64 KiB for each type, with escapes. */
    @Test
    void truncatesMuchLargerResultInLittleCpuTime() throws InvalidTargetException {
        Map<String, Object> records = new LinkedHashMap<>();
        for (int type = 0; type < 10; type++) {
            records.put("TYPE" + type, Collections.nCopies(255, "\\001".repeat(255)));
        }
        Evaluation judgement = new Evaluation(Map.of("first", "x", "second", records), List.of(), null);
        CheckResult result = assembled(judgement);
        for (int i = 0; i < 50; i++) {
            result = assembled(judgement);
        }

        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < 20; i++) {
            result = assembled(judgement);
        }
        long each = (threads.getCurrentThreadCpuTime() - before) / 20;

        assertThat(Duration.ofNanos(each)).isLessThan(Duration.ofMillis(10));
        assertThat(ResultJson.write(result).length).isBetween(LIMIT / 2, LIMIT);
        assertThat((Map<?, ?>) result.fields().get("second"))
                .as("each type keeps some records")
                .hasSize(10)
                .allSatisfy((type, kept) -> assertThat((List<?>) kept).isNotEmpty());
    }

    @Test
    void keepsTheMostSevereFindings() throws InvalidTargetException {
        List<Finding> findings = new ArrayList<>(Collections.nCopies(150, finding(Level.INFO, "m".repeat(500))));
        findings.add(finding(Level.FAIL, "n".repeat(500)));

        CheckResult result = assembled(new Evaluation(Map.of(), findings, null));

        assertThat(result.findings()).last().isEqualTo(findings.get(150));
        assertThat(result.findings()).hasSizeBetween(20, 100);
        assertThat(result.truncated()).containsExactly("findings");
    }

    private static CheckResult assembled(Evaluation judgement) throws InvalidTargetException {
        return ResultAssembler.assemble(MODULE, TargetParser.parse(MODULE, "example.com"), judgement, NOW, 1);
    }

    private static Finding finding(Level level, String message) {
        return new Finding(level, "some_code", "first", message, message, "RFC 9110 section 8.8.3");
    }

    private static Level worst(List<Finding> findings) {
        return findings.stream().map(Finding::level).max(Level::compareTo).orElse(Level.INFO);
    }

    /** Whether one text is a prefix of the other and no character was split. */
    private static boolean isCutOf(@Nullable Object was, @Nullable Object is) {
        if (was instanceof String whole && is instanceof String part) {
            boolean split = part.length() < whole.length()
                    && !part.isEmpty()
                    && Character.isHighSurrogate(part.charAt(part.length() - 1))
                    && Character.isLowSurrogate(whole.charAt(part.length()));
            return whole.startsWith(part) && !split;
        }
        if (was instanceof List<?> whole && is instanceof List<?> part) {
            for (int i = 0; i < part.size(); i++) {
                if (i >= whole.size() || !isCutOf(whole.get(i), part.get(i))) {
                    return false;
                }
            }
            return true;
        }
        if (was instanceof Map<?, ?> whole && is instanceof Map<?, ?> part) {
            return part.entrySet().stream()
                    .allMatch(entry ->
                            whole.containsKey(entry.getKey()) && isCutOf(whole.get(entry.getKey()), entry.getValue()));
        }
        return was == null ? is == null : was.equals(is);
    }

    @Provide
    Arbitrary<String> targets() {
        return Combinators.combine(Arbitraries.of("a", "\u00e9", "\u20ac", "\"", "%zz"), Arbitraries.of(1, 20, 220))
                .as((piece, times) -> "https://example.com/" + piece.repeat(times));
    }

    @Provide
    Arbitrary<Evaluation> judgements() {
        Arbitrary<Map<String, @Nullable Object>> fields =
                Arbitraries.maps(Arbitraries.of(NAMES), values()).ofMaxSize(NAMES.size());
        Arbitrary<Finding> finding =
                Combinators.combine(Arbitraries.of(Level.class), texts()).as(ResultSizeLimitTest::finding);
        Arbitrary<List<Finding>> findings = Combinators.combine(
                        finding.list().ofMaxSize(4), Arbitraries.of(0, 1, 1, 1, 50, 101, 300))
                .as((some, times) -> {
                    List<Finding> all = new ArrayList<>();
                    Collections.nCopies(times, some).forEach(all::addAll);
                    return all;
                });
        Arbitrary<CheckError> error = texts().map(text -> new CheckError(ErrorCode.READ_TIMEOUT, text))
                .injectNull(0.7);
        return Combinators.combine(fields, findings, error).as(Evaluation::new);
    }

    @Provide
    Arbitrary<@Nullable Object> values() {
        Arbitrary<Object> plain = Arbitraries.oneOf(
                texts().map(text -> (Object) text),
                Arbitraries.of(
                        true,
                        Integer.MIN_VALUE,
                        Long.MIN_VALUE,
                        -1.234567890123457E-300,
                        Instant.parse("+12345-01-01T00:00:00.123456789Z"),
                        NOW,
                        "short"));
        Arbitrary<Object> some = plain.injectNull(0.05);
        Arbitrary<Object> list = Combinators.combine(some.list().ofMaxSize(5), Arbitraries.of(1, 1, 10, 1_000))
                .as((items, times) -> {
                    List<@Nullable Object> all = new ArrayList<>();
                    int most = Math.max(1, 400_000 / (1 + ResultSizeLimit.size(items)));
                    Collections.nCopies(Math.min(times, most), items).forEach(all::addAll);
                    return all;
                });
        Arbitrary<String> keys = Arbitraries.of("a", "b", "c", "d", "\u0001\"", "\ud83d\ude00", "long".repeat(500));
        Arbitrary<Object> map = Arbitraries.maps(keys, Arbitraries.oneOf(some, some, list))
                .ofMaxSize(6)
                .map(entries -> (Object) entries);
        Arbitrary<Object> table =
                Combinators.combine(map, Arbitraries.of(1, 2, 30)).as((row, times) -> Collections.nCopies(times, row));
        Arbitrary<Object> nested = Combinators.combine(
                        Arbitraries.oneOf(map, list), Arbitraries.integers().between(1, 60))
                .as((inner, depth) -> {
                    Object value = inner;
                    for (int i = 0; i < depth; i++) {
                        value = i % 3 == 0 ? Map.of("k", value) : List.of(value);
                    }
                    return value;
                });
        return Arbitraries.oneOf(plain, list, map, table, nested).injectNull(0.05);
    }

    private static Arbitrary<String> texts() {
        return Combinators.combine(
                        Arbitraries.of(
                                "x",
                                "word ",
                                "\"\\",
                                "\u0001",
                                "\u001b[31m",
                                "\u00e9",
                                "\u20ac",
                                "\ud83d\ude00",
                                "x\ud83d\ude00",
                                "\ud800",
                                "\udc00z"),
                        Arbitraries.of(0, 1, 3, 16, 17, 300, 1_025, 5_000, 70_000))
                .as(String::repeat);
    }
}
