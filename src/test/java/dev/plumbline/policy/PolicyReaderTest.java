package dev.plumbline.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.result.Consequence;
import dev.plumbline.result.Level;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import java.time.LocalDate;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyReaderTest {
    static final ModuleDescription MODULE = ModuleDescriptionBuilder.of("sample", "Sample", InputType.HOST_PORT)
            .defaultPort(443)
            .fields(
                    Descriptions.integer("status", "Status", "A number."),
                    Descriptions.string("policy", "Policy", "A text."))
            .findings(finding("slow", Level.WARN), finding("broken", Level.FAIL), finding("hint", Level.INFO))
            .build();

    static final String YAML =
            """
            name: my-policy
            title: My policy
            version: 1.0
            source:
              title: Our rules
              url: https://example.com/rules
              date: 2026-01-31
            modules:
              sample:
                rules:
                  - id: status_ok
                    title: Status
                    clause: section 1
                    expect: status == 200
                    level: fail
                    message: The status is not 200.
                    action: Fix the server.
                  - id: policy_set
                    title: Policy
                    clause: section 2
                    expect: policy in ["reject"]
                    level: warn
                    message: The policy is not strict.
                    action: Set `reject`.
                levels:
                  slow: fail
                  hint: warn
            exceptions:
              - target: '*.old.example'
                finding: status_ok
                reason: The server is replaced.
                expires: 2026-06-30
              - target: old.example
                module: sample
                finding: broken
                reason: The server is old.
                expires: 2026-06-30
            examples:
              - title: Good
                module: sample
                fields: {status: 200, policy: reject}
                expected: {verdict: pass}
              - title: Bad
                module: sample
                target: a.old.example
                date: 2026-07-01
                findings: [slow]
                error: internal
                expected: {verdict: error, findings: [slow, status_ok, policy_set]}
            """;

    static FindingCode finding(String code, Level level) {
        return new FindingCode(
                code,
                "The " + code,
                level,
                null,
                "It is " + code + ".",
                "Fix it.",
                null,
                0,
                Consequence.DEGRADED,
                List.of());
    }

    static Policy read(String yaml) throws InvalidPolicyException {
        return new PolicyReader(name -> name.equals("sample") ? MODULE : null, new ExpressionPrograms())
                .read("my.yaml", yaml);
    }

    @Test
    void policyIsRead() throws InvalidPolicyException {
        Policy policy = read(YAML);

        assertThat(policy.name()).isEqualTo("my-policy");
        assertThat(policy.title()).isEqualTo("My policy");
        assertThat(policy.version()).isEqualTo("1.0");
        assertThat(policy.source())
                .isEqualTo(new Policy.Source("Our rules", "https://example.com/rules", LocalDate.of(2026, 1, 31)));
        assertThat(policy.ruleCount()).isEqualTo(2);
        Policy.ModulePolicy module = policy.modules().get("sample");
        assertThat(module.levels()).containsEntry("slow", Level.FAIL).containsEntry("hint", Level.WARN);
        assertThat(module.rules()).extracting(Policy.Rule::id).containsExactly("status_ok", "policy_set");
        assertThat(module.rules().get(1).expect().text()).isEqualTo("policy in [\"reject\"]");
        assertThat(module.rules().get(1).level()).isEqualTo(Level.WARN);
        assertThat(policy.exceptions())
                .containsExactly(
                        new Policy.Exemption(
                                "*.old.example",
                                null,
                                "status_ok",
                                "The server is replaced.",
                                LocalDate.of(2026, 6, 30)),
                        new Policy.Exemption(
                                "old.example", "sample", "broken", "The server is old.", LocalDate.of(2026, 6, 30)));
        assertThat(policy.examples()).hasSize(2);
        assertThat(policy.examples().get(1).target()).isEqualTo("a.old.example");
        assertThat(policy.examples())
                .allSatisfy(example -> assertThat(PolicyExamples.difference(policy, example, MODULE))
                        .isNull());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "name: my-policy | name: My Policy | my.yaml:1: 'name' is 'My Policy', not a name in lower case",
                "title: My policy | titel: My policy | my.yaml:2: 'policy' does not have a member 'titel'. Did you mean 'title'?",
                "version: 1.0 | x | my.yaml:4: The file is not valid YAML: could not find expected ':'.",
                "version: 1.0 | '' | my.yaml:1: 'policy' does not have the member 'version'.",
                "version: 1.0 | version: a b | my.yaml:3: 'version' is 'a b', not a version, for example 1.0.",
                "date: 2026-01-31 | date: 31.1.2026 | my.yaml:7: 'date' is '31.1.2026', not a date, for example 2026-12-31.",
                "https://example.com/rules | ftp://example.com | my.yaml:6: 'url' is 'ftp://example.com'",
                "sample: | smaple: | my.yaml:10: The module 'smaple' does not exist.",
                "id: status_ok | id: StatusOk | my.yaml:11: 'id' is 'StatusOk', not an ID in lower case",
                "id: status_ok | id: slow | my.yaml:11: The ID 'slow' is the code of a finding. Use another one.",
                "id: policy_set | id: status_ok | my.yaml:18: The rule 'status_ok' is declared twice.",
                "status == 200 | stauts == 200 | my.yaml:14: The expression of the rule 'status_ok' is not valid. Column 1: 'stauts' is not a field of sample. Did you mean 'status'?",
                "level: warn | level: bad | my.yaml:22: 'level' is 'bad', not one of info, warn, fail.",
                "clause: section 1 | clause: | my.yaml:13: 'clause' is not a text.",
                "slow: fail | slo: fail | my.yaml:26: sample does not have a finding 'slo'. Did you mean 'slow'?",
                "hint: warn | slow: warn | my.yaml:27: The file is not valid YAML: Duplicate field 'slow'",
                "finding: broken | finding: brokne | my.yaml:35: 'brokne' is not a finding or a rule of sample. Did you mean 'broken'?",
                "target: old.example | target: old.*.example | my.yaml:33: 'target' is 'old.*.example'",
                "module: sample | module: other | my.yaml:34: The policy does not have the module 'other'.",
                "expires: 2026-06-30 | expires: never | my.yaml:32: 'expires' is 'never', not a date",
                "{status: 200, policy: reject} | {stauts: 200} | my.yaml:41: 'stauts' is not a field of sample. Did you mean 'status'?",
                "{status: 200, policy: reject} | {status: ok} | my.yaml:41: 'status' is not of the type integer.",
                "target: a.old.example | target: a b | my.yaml:45: 'target' is 'a b', which is not valid for sample.",
                "verdict: pass | verdict: good | my.yaml:42: 'verdict' is 'good', not one of pass, warn, fail, error.",
                "error: internal | error: none | my.yaml:48: 'error' is 'none', not one of",
            })
    void invalidPolicyIsRejectedWithItsLine(String text, String replacement, String message) {
        String yaml = YAML.replaceFirst(Pattern.quote(text), replacement);
        assertThat(yaml).isNotEqualTo(YAML);

        assertThatThrownBy(() -> read(yaml))
                .isInstanceOf(InvalidPolicyException.class)
                .hasMessageStartingWith(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | my.yaml:1: The file is empty.",
                "[] | my.yaml:1: 'policy' is not an object.",
                "text | my.yaml:1: 'policy' is not an object.",
                "{a: | my.yaml:1: The file is not valid YAML",
            })
    void fileThatIsNotAPolicyIsRejected(String yaml, String message) {
        assertThatThrownBy(() -> read(yaml))
                .isInstanceOf(InvalidPolicyException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void aliasesAndLargeFilesAreRejected() {
        assertThatThrownBy(() -> read("name: &a x\ntitle: *a\n")).hasMessage("my.yaml:2: Aliases are not supported.");
        assertThatThrownBy(() -> read("---\nname: x\n---\nname: y\n"))
                .hasMessageEndingWith("The file contains more than one document.");
        assertThatThrownBy(() -> read("a: " + "[".repeat(50) + "]".repeat(50)))
                .hasMessage("my.yaml:1: The values are nested too deeply.");
        assertThatThrownBy(() -> read("#".repeat(PolicyReader.MAX_SIZE + 1)))
                .hasMessage("my.yaml:1: The file is larger than 256 KiB.");
    }

    @Test
    void exampleWithAnotherResultIsDescribed() throws InvalidPolicyException {
        Policy policy = read(YAML.replace("{status: 200, policy: reject}", "{status: 404, policy: reject}"));
        Policy other = read(YAML.replace("findings: [slow, status_ok, policy_set]", "findings: [slow]"));

        assertThat(PolicyExamples.difference(policy, policy.examples().get(0), MODULE))
                .isEqualTo("The verdict is fail, not pass. The findings are status_ok.");
        assertThat(PolicyExamples.difference(other, other.examples().get(1), MODULE))
                .isEqualTo("The findings are policy_set, slow, status_ok, not slow.");
    }
}
