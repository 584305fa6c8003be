package dev.plumbline.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.ResultSizeLimit;
import dev.plumbline.result.Verdict;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PolicyEvaluationTest {
    private static final LocalDate LAST_DAY = LocalDate.of(2026, 6, 30);
    private static final Policy POLICY = policy();

    private static Policy policy() {
        try {
            return PolicyReaderTest.read(PolicyReaderTest.YAML);
        } catch (InvalidPolicyException invalid) {
            throw new AssertionError(invalid);
        }
    }

    private static Finding finding(String code) {
        return new Finding(
                PolicyReaderTest.MODULE.finding(code).level(), code, null, "It is " + code + ".", "Fix it.", null);
    }

    private static CheckResult result(
            String target, @Nullable Integer status, @Nullable String policy, Finding... findings) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("status", status);
        fields.put("policy", policy);
        return result(target, fields, null, findings);
    }

    private static CheckResult result(
            String target, Map<String, Object> fields, @Nullable CheckError error, Finding... findings) {
        return new CheckResult(
                "sample",
                "sample/1",
                target,
                Verdict.of(Arrays.asList(findings), error, false),
                fields,
                Arrays.asList(findings),
                List.of(),
                error,
                Instant.EPOCH,
                5);
    }

    private static PolicyEvaluation.Evaluated apply(CheckResult result, LocalDate today) {
        return new PolicyEvaluation(PolicyReaderTest.MODULE, POLICY, List.of(), today).apply(result);
    }

    private static PolicyEvaluation expectations(String... texts) throws InvalidExpressionException {
        ExpressionCompiler compiler = new ExpressionCompiler(PolicyReaderTest.MODULE);
        List<Expectation> compiled = new ArrayList<>();
        for (String text : texts) {
            compiled.add(compiler.compile(text));
        }
        return new PolicyEvaluation(PolicyReaderTest.MODULE, null, compiled, LAST_DAY);
    }

    @Test
    void resultThatMeetsAllRulesHasNoFurtherFindings() {
        CheckResult result = result("a.example:443", 200, "reject");

        PolicyEvaluation.Evaluated evaluated = apply(result, LAST_DAY);

        assertThat(evaluated.result()).isEqualTo(result);
        assertThat(evaluated.policy()).isEqualTo(new PolicySummary("my-policy", "1.0", 2, 2));
        assertThat(evaluated.policy().text()).isEqualTo("2 of 2");
    }

    @Test
    void unmetRuleIsAFindingAndChangesTheVerdict() {
        PolicyEvaluation.Evaluated evaluated = apply(result("a.example:443", 404, "reject"), LAST_DAY);

        assertThat(evaluated.result().verdict()).isEqualTo(Verdict.FAIL);
        assertThat(evaluated.result().findings())
                .containsExactly(new Finding(
                        Level.FAIL,
                        "status_ok",
                        "status",
                        "The status is not 200. `status` is 404.",
                        "Fix the server.",
                        "Our rules, section 1"));
        assertThat(evaluated.policy()).isEqualTo(new PolicySummary("my-policy", "1.0", 1, 2));
    }

    @Test
    void undeterminedRuleIsNotMet() {
        PolicyEvaluation.Evaluated evaluated = apply(result("a.example:443", 200, null), LAST_DAY);

        assertThat(evaluated.result().verdict()).isEqualTo(Verdict.WARN);
        assertThat(evaluated.result().findings())
                .extracting(Finding::code, Finding::level, Finding::message)
                .containsExactly(tuple(
                        "policy_set",
                        Level.WARN,
                        "The rule \"Policy\" was not determined, because 'policy' is null. `policy` is null."));
        assertThat(evaluated.policy().metCount()).isEqualTo(1);
    }

    @Test
    void levelsOfFindingsChange() {
        CheckResult result = apply(
                        result("a.example:443", 200, "reject", finding("slow"), finding("hint"), finding("broken")),
                        LAST_DAY)
                .result();

        assertThat(result.findings())
                .extracting(Finding::code, Finding::level)
                .containsExactly(tuple("slow", Level.FAIL), tuple("hint", Level.WARN), tuple("broken", Level.FAIL));
        assertThat(apply(result("a.example:443", 200, "reject", finding("hint")), LAST_DAY)
                        .result()
                        .verdict())
                .isEqualTo(Verdict.WARN);
    }

    @Test
    void exceptionKeepsTheFindingAsInfoUntilItExpires() {
        CheckResult result = result("www.old.example:443", 404, "reject");

        PolicyEvaluation.Evaluated valid = apply(result, LAST_DAY);
        PolicyEvaluation.Evaluated expired = apply(result, LAST_DAY.plusDays(1));

        assertThat(valid.result().verdict()).isEqualTo(Verdict.PASS);
        assertThat(valid.result().findings())
                .extracting(Finding::code, Finding::level, Finding::message)
                .containsExactly(tuple(
                        "status_ok",
                        Level.INFO,
                        "The status is not 200. `status` is 404. Accepted until 2026-06-30: The server is replaced."));
        assertThat(valid.policy()).isEqualTo(new PolicySummary("my-policy", "1.0", 1, 1));
        assertThat(expired.result().verdict()).isEqualTo(Verdict.FAIL);
        assertThat(expired.result().findings())
                .extracting(Finding::code, Finding::level)
                .containsExactly(tuple("status_ok", Level.FAIL), tuple("exception_expired", Level.INFO));
        assertThat(expired.result().findings().get(1).message())
                .isEqualTo(
                        "The exception for `status_ok` expired on 2026-06-30. Its reason was: The server is replaced.");
        assertThat(expired.policy()).isEqualTo(new PolicySummary("my-policy", "1.0", 1, 2));
    }

    @Test
    void exceptionAppliesToItsTargetsOnly() {
        Finding broken = finding("broken");

        assertThat(verdict("old.example:443", broken)).isEqualTo(Verdict.PASS);
        assertThat(verdict("old.example:8443", broken)).isEqualTo(Verdict.PASS);
        assertThat(verdict("www.old.example:443", broken)).isEqualTo(Verdict.FAIL);
        assertThat(verdict("bold.example:443", broken)).isEqualTo(Verdict.FAIL);
        assertThat(apply(result("old.example:443", 404, "reject"), LAST_DAY)
                        .result()
                        .verdict())
                .isEqualTo(Verdict.FAIL);
        assertThat(apply(result("xold.example:443", 404, "reject"), LAST_DAY)
                        .result()
                        .verdict())
                .isEqualTo(Verdict.FAIL);
    }

    private static Verdict verdict(String target, Finding... findings) {
        return apply(result(target, 200, "reject", findings), LAST_DAY).result().verdict();
    }

    @Test
    void errorRemainsTheVerdict() {
        CheckResult result = result("a.example:443", Map.of(), new CheckError(ErrorCode.DNS_TIMEOUT, "Timeout."));

        PolicyEvaluation.Evaluated evaluated = apply(result, LAST_DAY);

        assertThat(evaluated.result().verdict()).isEqualTo(Verdict.ERROR);
        assertThat(evaluated.result().error()).isEqualTo(result.error());
        assertThat(evaluated.result().findings()).extracting(Finding::code).containsExactly("status_ok", "policy_set");
        assertThat(evaluated.policy()).isEqualTo(new PolicySummary("my-policy", "1.0", 0, 2));
    }

    @Test
    void lineWithoutATargetIsEvaluatedLikeAnotherError() throws InvalidExpressionException {
        CheckResult result = result(null, Map.of(), new CheckError(ErrorCode.INVALID_TARGET, "Not valid."));

        PolicyEvaluation.Evaluated evaluated = apply(result, LAST_DAY);
        PolicyEvaluation.Evaluated expected =
                expectations("error_code == 'invalid_target'", "status == 200").apply(result);

        assertThat(evaluated.result().findings()).hasSize(2);
        assertThat(evaluated.policy()).isEqualTo(new PolicySummary("my-policy", "1.0", 0, 2));
        assertThat(expected.policy()).isEqualTo(new PolicySummary(null, null, 1, 2));
        assertThat(expected.result().findings()).singleElement().satisfies(finding -> assertThat(finding.message())
                .contains("`status == 200` was not determined"));
        assertThat(expected.result().verdict()).isEqualTo(Verdict.ERROR);
    }

    @Test
    void failedExpectationIsAFindingWithItsValues() throws InvalidExpressionException {
        PolicyEvaluation.Evaluated evaluated = expectations(
                        "status == 200 || policy == 'x'", "status > 1", "policy.size() > 3", "verdict == 'fail'")
                .apply(result("a.example:443", 404, null));

        assertThat(evaluated.policy()).isEqualTo(new PolicySummary(null, null, 1, 4));
        assertThat(evaluated.result().verdict()).isEqualTo(Verdict.FAIL);
        assertThat(evaluated.result().findings())
                .containsExactly(
                        new Finding(
                                Level.FAIL,
                                "expectation_failed",
                                null,
                                "The expectation `status == 200 || policy == 'x'` was not determined, because 'policy'"
                                        + " is null. `status` is 404. `policy` is null.",
                                "If the value can be missing, compare it with `null` first. Otherwise, fix the error of"
                                        + " the check.",
                                null),
                        new Finding(
                                Level.FAIL,
                                "expectation_failed",
                                "policy",
                                "The expectation `policy.size() > 3` was not determined, because 'policy' is null."
                                        + " `policy` is null.",
                                "If the value can be missing, compare it with `null` first. Otherwise, fix the error of"
                                        + " the check.",
                                null),
                        new Finding(
                                Level.FAIL,
                                "expectation_failed",
                                null,
                                "The expectation `verdict == 'fail'` is not met.",
                                "Fix the target, or change the expectation.",
                                null));
    }

    @Test
    void valuesAreShortAndPrintable() throws InvalidExpressionException {
        String message = expectations("policy == '`'")
                .apply(result("a.example:443", 200, "\u001b" + "x`".repeat(10_000)))
                .result()
                .findings()
                .get(0)
                .message();

        assertThat(message)
                .startsWith("The expectation `policy == '''` is not met. `policy` is x'x'")
                .doesNotContain("\u001b")
                .hasSizeLessThan(300);
    }

    @Test
    void listOfObjectsIsCounted() throws InvalidExpressionException {
        Expectation expectation = new ExpressionCompiler(ExpressionSample.MODULE).compile("records.size() > 5");

        assertThat(ExpectationFindings.values(expectation, ExpressionSample.RESULT))
                .isEqualTo(" `records` has 2 items.");
    }

    @Test
    void findingsFitIntoAResult() throws InvalidExpressionException {
        Finding[] many = Collections.nCopies(100, finding("slow")).toArray(Finding[]::new);

        CheckResult evaluated = expectations("status == 200")
                .apply(result("a.example:443", 404, "", many))
                .result();

        assertThat(evaluated.findings()).hasSize(100);
        assertThat(evaluated.findings()).extracting(Finding::code).contains("expectation_failed");
        assertThat(evaluated.truncated()).containsExactly("findings");
        assertThat(ResultSizeLimit.findingsSize(evaluated.findings())).isLessThan(ResultSizeLimit.MAX);
    }
}
