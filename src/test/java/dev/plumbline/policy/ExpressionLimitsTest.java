package dev.plumbline.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.policy.Expectation.State;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Any text is an expectation or an error, in bounded CPU time. */
class ExpressionLimitsTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final ExpressionCompiler COMPILER = new ExpressionCompiler(ExpressionSample.MODULE);
    private static final ExpressionVariables LARGE = large();

    private static final String[] TOKENS = {
        "status",
        "score",
        "policy",
        "open",
        "versions",
        "records",
        "tree",
        "area",
        "days_remaining",
        "not_after",
        "fields",
        "verdict",
        "findings",
        "error_code",
        "null",
        "true",
        "1",
        "-1",
        "0",
        "2.5",
        "9223372036854775807",
        "'x'",
        "\"a\"",
        "b'x'",
        "1u",
        "==",
        "!=",
        "<",
        ">=",
        "&&",
        "||",
        "!",
        "?",
        ":",
        "+",
        "-",
        "*",
        "/",
        "%",
        "in",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ".",
        ".all(v, ",
        ".exists(r, ",
        ".map(x, ",
        ".filter(y, ",
        "has(",
        "size(",
        ".matches('a+')",
        ".size()",
        "v",
        "r",
        "x",
        "y",
        "r.host",
        "int(",
        "timestamp('2026-01-01T00:00:00Z')",
        "duration('1h')",
        "string(",
        "@result",
        "`a`",
        "🎉",
        "\\",
        "'",
        "\n",
        "loop",
        "bytes",
        "dyn(",
        "type("
    };

    /** The most that a result of 64 KiB can contain. */
    private static ExpressionVariables large() {
        List<String> versions = new ArrayList<>();
        List<Map<String, Object>> records = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            versions.add("v" + i % 7);
        }
        for (int i = 0; i < 1_000; i++) {
            records.add(i % 2 == 0 ? Map.of("host", "a".repeat(20) + i, "ttl", i) : Map.of("host", ""));
        }
        Map<String, Object> fields = new HashMap<>(ExpressionSample.FIELDS);
        fields.put("policy", "a".repeat(60_000));
        fields.put("versions", versions);
        fields.put("records", records);
        fields.put("tree", Map.of("list", Collections.nCopies(5_000, Collections.nCopies(3, 1))));
        return new ExpressionVariables(fields, "pass", null, versions);
    }

    private static List<String> hostileExpressions() {
        List<String> texts = new ArrayList<>(List.of(
                "versions.all(a, versions.all(b, a != b || a == b))",
                "versions.all(a, versions == versions)",
                "versions.all(a, a in versions || !(a in versions))",
                "versions.all(a, 'zz' in versions || true)",
                "versions.exists(a, versions.exists(b, a + b == 'x'))",
                "versions.all(a, versions.filter(b, b != a).size() > 0)",
                "versions.all(a, policy.contains('" + "a".repeat(400) + "b') || true)",
                "versions.all(a, policy.matches('(a|aa)+$'))",
                "versions.all(a, policy.size() > 0)",
                "versions.all(a, policy == policy + '')",
                "policy.matches('(a*)*(a*)*(a*)*b')",
                "policy.matches('" + "(a?){20}".repeat(20) + "b')",
                "policy.matches('(x+x+)+y') || policy.matches('" + "a*".repeat(200) + "b')",
                "policy.matches('((((a{9}){9}){9}){9}){9}')",
                "policy.matches('(((a{1000}){1000}){1000})')",
                "policy.matches('[]](a{900})') && policy.matches('([[:alpha:]]{30}){30}')",
                "policy.matches('(?i)" + "[\\\\pL]".repeat(70) + "')",
                "policy.matches('" + "\\\\pL|".repeat(80) + "b')",
                "policy.matches('" + "(".repeat(200) + "a" + ")".repeat(200) + "')",
                "policy.matches('" + "[a-z]|".repeat(60) + "b')",
                "policy.matches('[\\\\pL\\\\pN\\\\pS]{100}b')",
                "policy" + " + policy".repeat(40) + " == ''",
                "versions" + " + versions".repeat(30) + " == []",
                "versions.map(a, policy + policy) == ['x']",
                "versions.map(a, versions).map(b, versions) == versions.map(c, versions)",
                "versions.map(a, versions.map(b, versions)) == []",
                "tree.list.all(x, tree.list == tree.list)",
                "tree.list == tree.list && tree == tree",
                "records.all(r, records.all(s, r.ttl > s.ttl))",
                "records.all(r, " + "r.ttl > 1 || ".repeat(30) + "r.host == '')",
                "records.exists_one(r, records.exists_one(s, s == r))",
                "records.all(r, days_remaining > 1" + " || days_remaining > 1".repeat(20) + ")",
                "versions.all(a, 9223372036854775807 + 1 == 1)",
                "versions.all(a, timestamp('x') == not_after)",
                "versions.all(a, int(a) == 1 || double(a) == 1.0)",
                "versions.all(a, not_after + duration('9999999h') < not_after)",
                "[1" + ",1".repeat(150) + "].all(a, [1" + ",1".repeat(50) + "].all(b, a == b))",
                "findings.all(a, findings.exists(b, a == b))"));
        for (String part : List.of(
                "(",
                "[",
                "!",
                "-",
                "a?",
                "a.",
                "{",
                "1+",
                "a&&",
                "open||",
                "[1,",
                "f(",
                "'",
                "?",
                "a[",
                "\\",
                "🎉",
                "in ",
                "!(",
                "(a?(",
                "versions.all(a,",
                "\"\"\"",
                "1<",
                "@",
                "`")) {
            texts.add(part.repeat(ExpressionCompiler.MAX_LENGTH / part.codePointCount(0, part.length())));
        }
        return texts;
    }

    private static State run(String text, ExpressionVariables result) {
        try {
            return COMPILER.compile(text).evaluate(result).state();
        } catch (InvalidExpressionException invalid) {
            assertThat(invalid).hasMessageMatching("(?s)(Line \\d+, c|C)olumn \\d+: .+");
            return State.NOT_DETERMINED;
        }
    }

    /** The least CPU time of some runs, so that the compilation of the program and garbage collection do not count. */
    private static long cpuMillis(String text) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long start = THREADS.getCurrentThreadCpuTime();
            run(text, LARGE);
            least = Math.min(least, THREADS.getCurrentThreadCpuTime() - start);
        }
        return Duration.ofNanos(least).toMillis();
    }

    @Test
    void hostileExpressionsEndWithin10Milliseconds() {
        List<String> texts = hostileExpressions();
        assertThat(texts).hasSizeGreaterThanOrEqualTo(50);
        // the first expressions are slow because the program is not compiled yet
        texts.forEach(text -> run(text, LARGE));

        Map<String, Long> slow = new HashMap<>();
        for (String text : texts) {
            long millis = cpuMillis(text);
            if (millis > 10) {
                slow.put(text, millis);
            }
        }
        assertThat(slow).isEmpty();
    }

    @Test
    void expressionThatNeedsTooManyStepsIsNotDetermined() throws InvalidExpressionException {
        Expectation.Outcome outcome = COMPILER.compile("versions.all(a, versions.all(b, a != 'x' && b != 'x'))")
                .evaluate(LARGE);

        assertThat(outcome)
                .isEqualTo(new Expectation.Outcome(
                        State.NOT_DETERMINED, "it needs more than 200000 steps on this result"));
        assertThat(COMPILER.compile("versions.all(a, a in ['v0', 'v1', 'v2', 'v3', 'v4', 'v5', 'v6'])")
                        .evaluate(LARGE)
                        .state())
                .isEqualTo(State.MET);
    }

    @Property(tries = 2_000)
    void anyTextIsAnExpectationOrAnError(@ForAll long seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(25); i >= 0; i--) {
            text.append(TOKENS[random.nextInt(TOKENS.length)]).append(random.nextInt(4) == 0 ? "" : " ");
        }

        assertThat(run(text.toString(), random.nextBoolean() ? LARGE : ExpressionSample.RESULT))
                .isNotNull();
    }

    @Property(tries = 300)
    void anyStringIsAnExpectationOrAnError(@ForAll String text) {
        assertThat(run(text, ExpressionSample.RESULT)).isNotNull();
    }
}
