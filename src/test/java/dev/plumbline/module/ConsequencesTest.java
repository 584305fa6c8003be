package dev.plumbline.module;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.graph.GraphBuilder;
import com.google.common.graph.Graphs;
import com.google.common.graph.MutableGraph;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.result.Consequence;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Level;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The consequences and effects that the sheets declare. */
class ConsequencesTest {
    private static final Map<String, ModuleDescription> MODULES = ModuleCatalogue.load().descriptions().stream()
            .collect(Collectors.toMap(ModuleDescription::module, module -> module));

    private static final Set<String> ERRORS =
            Arrays.stream(ErrorCode.values()).map(ErrorCode::id).collect(Collectors.toSet());

    private static final Map<String, FindingCode> FINDINGS = findings(MODULES.values());

    private static Map<String, FindingCode> findings(Collection<ModuleDescription> modules) {
        Map<String, FindingCode> findings = new LinkedHashMap<>();
        modules.forEach(
                module -> module.findings().forEach(code -> findings.put(module.module() + '/' + code.code(), code)));
        return findings;
    }

    @Test
    void onlyAFailedCheckMakesASiteUnavailable() {
        assertThat(FINDINGS.values())
                .filteredOn(code -> code.consequence() == Consequence.UNAVAILABLE)
                .isNotEmpty()
                .allSatisfy(code -> assertThat(code.level()).as(code.code()).isEqualTo(Level.FAIL));
    }

    @Test
    void effectsAreErrorsOrProblemsOfAPartOfTheSameComposite() {
        MODULES.values().forEach(module -> {
            Set<String> known = new LinkedHashSet<>(ERRORS);
            findings(MODULES.values().stream()
                            .filter(other -> other.partOf().keySet().stream().anyMatch(module.partOf()::containsKey))
                            .toList())
                    .forEach((name, code) -> {
                        if (code.level() != Level.INFO) {
                            known.add(name);
                        }
                    });
            module.findings().forEach(code -> assertThat(known)
                    .as(module.module() + '/' + code.code())
                    .containsAll(code.explains()));
        });
    }

    @Test
    void noProblemIsAnEffectOfItself() {
        MutableGraph<String> graph =
                GraphBuilder.directed().allowsSelfLoops(true).build();
        FINDINGS.forEach((name, code) -> code.explains().forEach(effect -> graph.putEdge(name, effect)));

        List<String> loops = graph.nodes().stream()
                .filter(node -> graph.successors(node).stream()
                        .anyMatch(next -> Graphs.reachableNodes(graph, next).contains(node)))
                .toList();

        assertThat(graph.edges()).isNotEmpty();
        assertThat(loops).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "ssl-certificate/expired, UNAVAILABLE",
        "starttls-certificate/expired, DEGRADED",
        "ssl-certificate/expiring_soon, EXPIRING",
        "ssl-certificate/weak_key, EXPOSED",
        "http-status/status_server_error, UNAVAILABLE",
        "dnssec/signature_expired, UNAVAILABLE",
        "nameservers/no_authoritative_server, UNAVAILABLE",
        "nameservers/lame_delegation, DEGRADED",
        "dmarc/dmarc_missing, EXPOSED",
        "caa/malformed_issuer, EXPIRING",
        "domain-registration/registration_expires_soon, EXPIRING",
        "hsts/hsts_missing, RECOMMENDED",
        "http-compression/compression_missing, RECOMMENDED",
    })
    void problemsAreRankedByConsequence(String finding, Consequence consequence) {
        assertThat(FINDINGS.get(finding).consequence()).isEqualTo(consequence);
    }

    @Test
    void aCertificateErrorExplainsItsEffectsOnWebsiteAndMailDifferently() {
        assertThat(FINDINGS.get("ssl-certificate/expired").explains())
                .contains("tls_untrusted", "hsts/certificate_invalid");
        assertThat(FINDINGS.get("starttls-certificate/expired").explains())
                .contains("mta-sts/mx_tls_invalid")
                .doesNotContain("tls_untrusted");
    }

    /** One removed NS record is one problem. */
    @Test
    void aDelegationThatDiffersExplainsTheMissingRedundancy() {
        assertThat(FINDINGS.get("nameservers/missing_in_zone").explains()).contains("nameservers/single_nameserver");
        assertThat(FINDINGS.get("nameservers/missing_in_parent").explains())
                .contains("nameservers/single_nameserver", "domain-registration/single_nameserver");
        assertThat(FINDINGS.get("nameservers/single_nameserver").explains())
                .contains("dns-records/single_nameserver", "domain-registration/single_nameserver");
    }
}
