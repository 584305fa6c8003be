package dev.plumbline.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.policy.Expectation.State;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.ModuleDescription;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExpressionCompilerTest {
    private static final ExpressionCompiler COMPILER = new ExpressionCompiler(ExpressionSample.MODULE);

    private static Expectation.Outcome evaluate(String expression) {
        return evaluate(expression, ExpressionSample.RESULT);
    }

    private static Expectation.Outcome evaluate(String expression, ExpressionVariables result) {
        try {
            return COMPILER.compile(expression).evaluate(result);
        } catch (InvalidExpressionException invalid) {
            throw new AssertionError(expression, invalid);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status == 200",
                "status > 100 && status <= 200",
                "200 == status",
                "status in [200, 204]",
                "status != 404",
                "score == 75.5",
                "score > 75",
                "status == 200.0",
                "status < 200.5",
                "-status == -200",
                "status / 3 == 66 && status % 3 == 2 && status * 2 - 1 + 1 == 400",
                "score * 2.0 == 151.0",
                "policy in ['quarantine', 'reject']",
                "policy.startsWith('quar') && policy.endsWith('tine') && policy.contains('ran')",
                "policy.matches('^q[a-z]+$') && matches(policy, 'rant')",
                "policy + '!' == 'quarantine!'",
                "size(policy) == 10 && policy.size() == 10",
                "'ü'.size() == 1 && '🎉'.size() == 1",
                "open",
                "!fields.loop",
                "open ? status == 200 : status == 404",
                "not_after > timestamp('2026-12-31T00:00:00Z')",
                "not_after - timestamp('2026-12-31T00:00:00Z') == duration('24h')",
                "not_after + duration('1h30m') > not_after && duration('-1.5s') < duration('1ms')",
                "not_after == timestamp('2027-01-01T01:00:00+01:00')",
                "int(not_after) == 1798761600 && timestamp(1798761600) == not_after",
                "int('42') == 42 && double('1.5') == 1.5 && string(status) == '200' && int(2.9) == 2",
                "'TLSv1.3' in versions && !('TLSv1' in versions)",
                "versions == ['TLSv1.2', 'TLSv1.3']",
                "versions[0] == 'TLSv1.2'",
                "versions.all(v, v.startsWith('TLSv1.'))",
                "versions.exists(v, v == 'TLSv1.3')",
                "versions.exists_one(v, v == 'TLSv1.3')",
                "versions.filter(v, v > 'TLSv1.2') == ['TLSv1.3']",
                "versions.map(v, v.size()) == [7, 7]",
                "versions.map(v, v != 'TLSv1.2', v + '!') == ['TLSv1.3!']",
                "versions + ['x'] == ['TLSv1.2', 'TLSv1.3', 'x']",
                "records.exists(r, r.host == 'a.example' && r.ttl == 60)",
                "records[0].seen < records[1].seen",
                "records.all(r, versions.exists(v, v != r.host))",
                "tree.name == 'root' && tree['count'] == 3 && tree.ratio == 0.5",
                "'name' in tree && size(tree) == 4 && tree.exists(k, k == 'items')",
                "tree.items == [1, 2, 'x'] && 2 in tree.items",
                "area.points == 10",
                "fields.bytes == 1024",
                "fields.status == 200",
                "verdict == 'warn'",
                "'slow' in findings && size(findings) == 2",
                "error_code == null",
                "error_code != 'dns_nxdomain' && !(error_code in ['dns_nxdomain'])",
                "has(fields.status) && !has(fields.days_remaining) && has(tree.name) && !has(tree.missing)",
                "days_remaining == null",
                "null == days_remaining",
                "fields.days_remaining == null",
                "status != null && versions != null && tree != null && records != null && not_after != null",
                "days_remaining == null || days_remaining > 14",
                "records.exists(r, r.ttl == null)",
                "records[1].ttl == null && records[1].host != null",
                "tree.missing == null",
                "(open ? days_remaining : status) == null",
                "null == null",
                "versions.all(status, status != 'x')",
                "versions.all(status, status != 'x') && status == 200",
                "1 == 1 || days_remaining > 14",
                "!(1 == 2 && days_remaining > 14)",
            })
    void metExpression(String expression) {
        assertThat(evaluate(expression)).isEqualTo(new Expectation.Outcome(State.MET, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status == 404",
                "status == null",
                "versions == null",
                "policy == 'none' || score < 75",
                "versions.all(v, v == 'TLSv1.3')",
                "records.exists(r, r.host == 'c')",
                "error_code == 'dns_nxdomain'",
                "9007199254740993 == 9007199254740992.0",
                "versions.exists_one(v, v != '')",
                "days_remaining != null",
                "1 == 2 && days_remaining > 14",
            })
    void unmetExpression(String expression) {
        assertThat(evaluate(expression)).isEqualTo(new Expectation.Outcome(State.NOT_MET, null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "days_remaining > 14 | 'days_remaining' is null",
                "days_remaining == 14 | 'days_remaining' is null",
                "days_remaining != 14 | 'days_remaining' is null",
                "days_remaining in [1, 2] | 'days_remaining' is null",
                "status in [days_remaining] | 'days_remaining' is null",
                "fields.days_remaining + 1 == 2 | 'days_remaining' is null",
                "(days_remaining + 1) == null | 'days_remaining' is null",
                "open && days_remaining > 14 | 'days_remaining' is null",
                "days_remaining > 14 ? true : true | 'days_remaining' is null",
                "records.all(r, r.ttl > 0) | 'ttl' is null",
                "records.map(r, r.ttl) == [60, 60] | 'ttl' is null",
                "records.filter(r, r.ttl > 0).size() == 1 | 'ttl' is null",
                "records.exists_one(r, r.ttl > 0) | 'ttl' is null",
                "tree.missing == 1 | 'missing' is null",
                "tree['missing'] == 1 | the key 'missing' does not exist",
                "tree.name > 1 | an operation is not possible with its values",
                "tree.count + 'x' == 'y' | an operation is not possible with its values",
                "tree.name.x == 1 | 'x' is not a member of the value",
                "versions[2] == 'x' | the list has 2 items, so the index 2 does not exist",
                "versions[-1] == 'x' | the list has 2 items, so the index -1 does not exist",
                "1 / 0 == 1 | it divides by zero",
                "1 % 0 == 1 | it divides by zero",
                "9223372036854775807 + status == 1 | a number or time is out of range",
                "int('x') == 1 | an operation is not possible with its values",
                "timestamp('x') == not_after | an operation is not possible with its values",
            })
    void undeterminedExpression(String expression, String reason) {
        assertThat(evaluate(expression)).isEqualTo(new Expectation.Outcome(State.NOT_DETERMINED, reason));
    }

    @Test
    void allFieldsOfAResultWithAnErrorAreNull() {
        ExpressionVariables failed = new ExpressionVariables(Map.of(), "error", "dns_nxdomain", List.of());

        assertThat(evaluate("status == 200", failed).state()).isEqualTo(State.NOT_DETERMINED);
        assertThat(evaluate("status == null && versions == null && tree == null", failed)
                        .state())
                .isEqualTo(State.MET);
        assertThat(evaluate("error_code == 'dns_nxdomain' && error_code != null", failed)
                        .state())
                .isEqualTo(State.MET);
    }

    @Test
    void valueOfAnotherTypeIsNotDetermined() {
        Map<String, Object> fields = new HashMap<>();
        fields.put("status", "200");
        fields.put("score", 75L);
        fields.put("not_after", Instant.parse("2027-01-01T00:00:00Z"));
        fields.put("versions", Map.of());
        fields.put("area", List.of());
        ExpressionVariables result = new ExpressionVariables(fields, "pass", null, List.of());

        assertThat(evaluate("status == 200", result).reason()).isEqualTo("'status' does not have the declared type");
        assertThat(evaluate("versions.all(v, v == '')", result).state()).isEqualTo(State.NOT_DETERMINED);
        assertThat(evaluate("area.points == 1", result).state()).isEqualTo(State.NOT_DETERMINED);
        assertThat(evaluate("score == 75.0 && not_after > timestamp('2026-01-01T00:00:00Z')", result)
                        .state())
                .isEqualTo(State.MET);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "stauts == 200 | Column 1: 'stauts' is not a field of sample. Did you mean 'status'?",
                "open && fields.stauts == 200 | Column 15: 'stauts' is not a field of sample. Did you mean 'status'?",
                "records.all(r, r.hots == '') | Column 17: 'hots' is not a field of sample. Did you mean 'host'?",
                "something_else == 1 | Column 1: 'something_else' is not a field of sample.",
                "host == '' | Column 1: 'host' is a member of an object, not a field of sample.",
                "loop | Column 1: 'loop' is a reserved word. Use fields.loop.",
                "while | Column 1: 'while' is a reserved word.",
                "bytes == 1 | Column 1: 'bytes' has another meaning in expressions. Use fields.bytes.",
                "int == int | Column 1: 'int' is not a field of sample.",
                "status > 'x' | Column 8: The operator > does not support (int, string).",
                "status == 'x' | Column 8: The operator == does not support (int, string).",
                "open && status | Column 6: The operator && does not support (bool, int).",
                "status in versions | Column 8: The operator in does not support (int, list(string)).",
                "not_after > 5 | Column 11: The operator > does not support (timestamp, int).",
                "size(status) == 1 | Column 5: The function size does not support (int).",
                "starts_with(policy) | Column 12: The function 'starts_with' does not exist. Did you mean 'startsWith'?",
                "policy.startWith('q') | Column 17: The function 'startWith' does not exist. Did you mean 'startsWith'?",
                "type(status) == 1 | Column 5: The function 'type' does not exist.",
                "status.foo == 1 | Column 7: A value of the type int does not have members.",
                "status | Column 1: The expression is of the type int, not a condition. Compare it, for example with ==.",
                "status = 200 | Column 8: Syntax error at '='. Use == to compare.",
                "status == 1u | Column 8: The operator == does not support (int, uint).",
                "1u == 1u | Column 1: Unsigned integers are not supported. Remove the u.",
                "b'x' == b'x' | Column 1: Bytes are not supported. Remove the b.",
                "status == 99999999999999999999 | Column 11: The number is not valid, or too large.",
                "policy.matches('[') | Column 16: The regular expression is not valid: missing closing ].",
                "policy.matches(policy) | Column 15: The regular expression of matches must be a string constant.",
                "policy.matches('(a{30}){30}(b{20}){20}') | Column 16: The regular expression is too large. Reduce its repetitions.",
                "{'a': 1}.a == 1 | Column 1: Map literals are not supported.",
                "fields == null | Column 1: Use fields.NAME.",
                "'Ü🎉' == stauts | Column 9: 'stauts' is not a field of sample. Did you mean 'status'?",
                "versions.all(a, versions.all(b, versions.all(c, c == a))) | Column 45: Macros are nested too deeply; at most 2 levels are allowed.",
            })
    void invalidExpression(String expression, String message) {
        assertThatThrownBy(() -> COMPILER.compile(expression))
                .isInstanceOf(InvalidExpressionException.class)
                .hasMessage(message);
    }

    @Test
    void positionHasALineIfTheExpressionHasSeveral() {
        InvalidExpressionException invalid = catchThrowableOfType(
                InvalidExpressionException.class, () -> COMPILER.compile("open &&\n  stauts == 200"));

        assertThat(invalid).hasMessageStartingWith("Line 2, column 3: 'stauts'");
        assertThat(invalid.line()).isEqualTo(2);
        assertThat(invalid.column()).isEqualTo(3);
        assertThat(invalid.problem()).startsWith("'stauts'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\n"})
    void emptyExpressionIsRejected(String expression) {
        assertThatThrownBy(() -> COMPILER.compile(expression))
                .isInstanceOf(InvalidExpressionException.class)
                .hasMessage("Column 1: The expression is empty.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"(", "status ==", "status == 200)", "'", "\u0000", "status 200"})
    void incompleteExpressionIsASyntaxError(String expression) {
        assertThatThrownBy(() -> COMPILER.compile(expression))
                .isInstanceOf(InvalidExpressionException.class)
                .hasMessageContaining("Syntax error");
    }

    @Test
    void percentSignsAreShownAsEntered() {
        assertThatThrownBy(() -> COMPILER.compile("status % % 2 == 1"))
                .hasMessageContaining("'%'")
                .hasMessageNotContaining("%%");
    }

    @Test
    void expressionHasAtMost500Characters() throws InvalidExpressionException {
        String longest = "policy != '" + "🎉".repeat(488) + "'";

        assertThat(COMPILER.compile(longest).evaluate(ExpressionSample.RESULT).state())
                .isEqualTo(State.MET);
        assertThatThrownBy(() -> COMPILER.compile(longest + " "))
                .hasMessage("Column 501: The expression has 501 characters; at most 500 are allowed.");
    }

    @Test
    void fieldsAreTheReferencedOnes() throws InvalidExpressionException {
        assertThat(COMPILER.compile("open && fields.loop && records.all(status, status.ttl > fields.bytes) && 'x' in"
                                + " findings && has(fields.score)")
                        .fields())
                .containsExactly("open", "loop", "records", "bytes", "score");
    }

    @Test
    void everyFieldOfEveryModuleCanBeRead() throws InvalidExpressionException {
        for (ModuleDescription module : ModuleCatalogue.load().descriptions()) {
            ExpressionCompiler compiler = new ExpressionCompiler(module);
            for (FieldDescription field : module.fields()) {
                String name = field.name();
                String expression = "fields." + name + " == null"
                        + (ExpressionEnvironment.isVariable(name) ? " && " + name + " == null" : "");

                assertThat(compiler.compile(expression)
                                .evaluate(new ExpressionVariables(Map.of(), "error", "internal", List.of()))
                                .state())
                        .as("%s of %s", name, module.module())
                        .isEqualTo(State.MET);
            }
        }
    }

    @Test
    void expressionsAreCompiledOnce() throws InvalidExpressionException {
        ExpressionPrograms programs = new ExpressionPrograms();

        assertThat(programs.contains(ExpressionSample.MODULE, "open")).isFalse();
        Expectation first = programs.get(ExpressionSample.MODULE, "open");

        assertThat(programs.contains(ExpressionSample.MODULE, "open")).isTrue();
        assertThat(programs.get(ExpressionSample.MODULE, "open")).isSameAs(first);
        assertThat(programs.contains(ExpressionSample.MODULE, "opne")).isFalse();
        Throwable invalid = catchThrowable(() -> programs.get(ExpressionSample.MODULE, "opne"));

        assertThat(invalid).isInstanceOf(InvalidExpressionException.class);
        assertThat(programs.contains(ExpressionSample.MODULE, "opne")).isTrue();
        assertThatThrownBy(() -> programs.get(ExpressionSample.MODULE, "opne")).isSameAs(invalid);
    }
}
