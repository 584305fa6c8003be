package dev.plumbline.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.ResultJson;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.ModuleDescription;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules of modules in results of composites of which these modules are parts. */
class PartRulesTest {
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();
    private static final LocalDate TODAY = LocalDate.of(2026, 11, 27);
    private static final String YAML =
            """
            name: my-policy
            title: Our rules
            version: 1.0
            source: {title: Our rules, date: 2026-01-31}
            modules:
              hsts:
                rules:
                  - {id: hsts_year, title: HSTS, clause: section 1, expect: max_age >= 31536000, level: fail,
                     message: HSTS is short., action: Increase it.}
                  - {id: hsts_errors, title: Errors, clause: section 2, expect: errors.size() == 0, level: fail,
                     message: HSTS has errors., action: Fix it.}
              spf:
                rules:
                  - {id: spf_all, title: SPF, clause: section 3, expect: 'all_qualifier in ["-", "~"]', level: warn,
                     message: SPF permits all servers., action: Set `-all`.}
                  - {id: spf_finding, title: SPF findings, clause: section 4, expect: '!("plus_all" in findings)',
                     level: warn, message: SPF has a finding., action: Set `-all`.}
              websocket:
                rules:
                  - {id: handshake, title: Handshake, clause: section 5, expect: verdict == "pass", level: fail,
                     message: It failed., action: Fix it.}
            exceptions:
              - {target: www.example.com, module: hsts, finding: hsts_year, reason: It is new., expires: 2026-11-30}
            """;

    private static ModuleDescription module(String name) {
        ModuleDefinition<?> found = MODULES.find(name);
        return found == null ? null : found.description();
    }

    private static PolicyEvaluation evaluation(String module) throws InvalidPolicyException {
        Policy policy = new PolicyReader(PartRulesTest::module, new ExpressionPrograms()).read("my-policy.yaml", YAML);
        return new PolicyEvaluation(Objects.requireNonNull(module(module)), policy, List.of(), TODAY);
    }

    private static Map<String, Object> part(
            String module, String target, Map<String, Object> fields, List<String> findings) {
        return new HashMap<>(
                Map.of("module", module, "target", target, "verdict", "pass", "fields", fields, "findings", findings));
    }

    private static CheckResult overview(@Nullable Object parts, @Nullable CheckError error, Finding... findings) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("parts", parts);
        List<Finding> all = List.of(findings);
        return new CheckResult(
                "overview",
                "overview/3",
                "example.com",
                Verdict.of(all, error, false),
                fields,
                all,
                List.of(),
                error,
                Instant.EPOCH,
                5);
    }

    @Test
    void aPolicyOfTheOperatorAppliesToCompositesOfItsModules(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("my-policy.yaml"), YAML);

        PolicyCatalogue policies = PolicyCatalogue.load(folder, PartRulesTest::module, new ExpressionPrograms());

        assertThat(policies.applies("my-policy", module("hsts"))).isTrue();
        assertThat(policies.applies("my-policy", module("overview"))).isTrue();
        assertThat(policies.applies("my-policy", module("rpki"))).isFalse();
        assertThat(policies.applies("my-policy", null)).isFalse();
        assertThat(policies.applies("removed", module("hsts"))).isFalse();
    }

    @Test
    void rulesOfThePartsPrecedeTheFindingsOfTheComposite() throws InvalidPolicyException {
        Finding own = new Finding(Level.WARN, "part_warn", "causes", "A problem.", "Fix it.", null);
        CheckResult result = overview(
                List.of(
                        part("hsts", "example.com", Map.of("max_age", 300), List.of()),
                        part("spf", "example.com", Map.of("all_qualifier", "-"), List.of("plus_all"))),
                null,
                own);

        PolicyEvaluation.Evaluated evaluated = evaluation("overview").apply(result);

        assertThat(evaluated.result().findings())
                .extracting(Finding::code, Finding::level, Finding::field, Finding::message)
                .containsExactly(
                        tuple("hsts_year", Level.FAIL, null, "hsts: HSTS is short. `max_age` is 300."),
                        tuple("spf_finding", Level.WARN, null, "spf: SPF has a finding."),
                        tuple("part_warn", Level.WARN, "causes", "A problem."));
        assertThat(evaluated.result().verdict()).isEqualTo(Verdict.FAIL);
        assertThat(evaluated.policy()).isEqualTo(new PolicySummary("my-policy", "1.0", 1, 3));
        assertThat(evaluation("overview").title("spf_finding")).isEqualTo("SPF findings");
    }

    @Test
    void partsThatWereNotCheckedAreNotCounted() throws InvalidPolicyException {
        CheckResult result =
                overview(List.of(part("spf", "example.com", Map.of("all_qualifier", "-"), List.of())), null);

        PolicyEvaluation.Evaluated evaluated = evaluation("overview").apply(result);

        assertThat(evaluated.result().findings()).isEmpty();
        assertThat(evaluated.policy()).isEqualTo(new PolicySummary("my-policy", "1.0", 2, 2));
    }

    @Test
    void exceptionsApplyToTheTargetOfThePart() throws InvalidPolicyException {
        CheckResult result =
                overview(List.of(part("hsts", "www.example.com", Map.of("max_age", 300), List.of())), null);

        PolicyEvaluation.Evaluated evaluated = evaluation("overview").apply(result);

        assertThat(evaluated.result().findings()).extracting(Finding::level).containsExactly(Level.INFO);
        assertThat(evaluated.policy().ruleCount()).isZero();
    }

    @Test
    void partWithoutStoredFieldsIsNotDetermined() throws InvalidPolicyException {
        Map<String, Object> stored = part("hsts", "example.com", Map.of(), List.of());
        stored.remove("fields");

        PolicyEvaluation.Evaluated evaluated = evaluation("overview").apply(overview(List.of(stored), null));

        assertThat(evaluated.result().findings())
                .extracting(Finding::message)
                .containsExactly("hsts: The rule \"HSTS\" was not determined, because 'max_age' is null."
                        + " `max_age` is null.");
        assertThat(evaluated.policy()).isEqualTo(new PolicySummary("my-policy", "1.0", 0, 1));
    }

    @Test
    void compositeThatDidNotCompleteDoesNotMeetAnyRule() throws InvalidPolicyException {
        CheckError error = new CheckError(ErrorCode.DNS_TIMEOUT, "Timeout.");

        PolicyEvaluation.Evaluated evaluated = evaluation("overview").apply(overview(null, error));

        assertThat(evaluated.result()).isEqualTo(overview(null, error));
        assertThat(evaluated.policy()).isEqualTo(new PolicySummary("my-policy", "1.0", 0, 3));
    }

    @Test
    void partsByModuleInASerializedResult() throws InvalidPolicyException {
        Map<String, Object> spf = part("spf", "example.com", Map.of("all_qualifier", "+"), List.of());
        spf.remove("module");
        CheckResult result = overview(Map.of("spf", spf), null);

        String evaluated =
                new String(evaluation("mail-health").apply(ResultJson.write(result)), StandardCharsets.UTF_8);

        assertThat(evaluated)
                .contains("\"policy\":{\"name\":\"my-policy\",\"version\":\"1.0\",\"met_count\":1,\"rule_count\":2}")
                .contains("spf: SPF permits all servers.");
    }

    @Test
    void policyAppliesToTheCompositesOfItsModules() throws InvalidPolicyException {
        Policy policy = new PolicyReader(PartRulesTest::module, new ExpressionPrograms()).read("my-policy.yaml", YAML);

        assertThat(List.of("overview", "mail-health", "hsts", "websocket", "dkim").stream()
                        .filter(name -> policy.appliesTo(Objects.requireNonNull(module(name)))))
                .containsExactly("overview", "mail-health", "hsts", "websocket");
    }
}
