package dev.plumbline.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.result.Finding;
import dev.plumbline.sheet.ModuleDescription;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BuiltInPoliciesTest {
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();

    private static ModuleDescription module(String name) {
        ModuleDefinition<?> found = MODULES.find(name);
        return found == null ? null : found.description();
    }

    static Iterable<String> names() {
        return BuiltInPolicies.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void examplesShowEachRuleMetAndUnmet(String name) throws InvalidPolicyException {
        Policy policy = new PolicyReader(BuiltInPoliciesTest::module, new ExpressionPrograms())
                .read(name + ".yaml", BuiltInPolicies.yaml(name));

        assertThat(policy.name()).isEqualTo(name);
        Set<String> met = new HashSet<>();
        Set<String> unmet = new HashSet<>();
        for (Policy.Example example : policy.examples()) {
            assertThat(PolicyExamples.difference(policy, example, module(example.module())))
                    .as("%s, line %d", example.title(), example.line())
                    .isNull();
            Set<String> found = PolicyExamples.evaluated(policy, example, module(example.module())).findings().stream()
                    .map(Finding::code)
                    .collect(Collectors.toSet());
            for (Policy.Rule rule : policy.modules().get(example.module()).rules()) {
                (found.contains(rule.id()) ? unmet : met).add(rule.id());
            }
        }
        for (Policy.ModulePolicy module : policy.modules().values()) {
            assertThat(module.rules())
                    .extracting(Policy.Rule::id)
                    .isSubsetOf(met)
                    .isSubsetOf(unmet);
        }
    }
}
