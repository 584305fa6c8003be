package dev.plumbline.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.ModuleDescription;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The security levels of cipher suites and groups, from the published tables, which the policies write as patterns. */
class NcscPoliciesTest {
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();
    private static final List<String> POLICIES = List.of("ncsc-nl-good", "ncsc-nl-sufficient", "ncsc-nl-phase-out");

    private static ModuleDescription module(String name) {
        ModuleDefinition<?> found = MODULES.find(name);
        return found == null ? null : found.description();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | AES_256_GCM_SHA384 CHACHA20_POLY1305_SHA256",
                "1 | AES_128_GCM_SHA256 AES_128_CCM_SHA256",
                "1 | ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                "1 | ECDHE_ECDSA_WITH_AES_256_CCM ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 ECDHE_ECDSA_WITH_AES_128_CCM",
                "1 | ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 ECDHE_RSA_WITH_AES_256_GCM_SHA384",
                "1 | ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                "2 | ECDHE_ECDSA_WITH_CAMELLIA_256_GCM_SHA384 ECDHE_ECDSA_WITH_CAMELLIA_256_CBC_SHA384",
                "2 | ECDHE_ECDSA_WITH_CAMELLIA_128_GCM_SHA256 ECDHE_ECDSA_WITH_CAMELLIA_128_CBC_SHA256",
                "2 | ECDHE_ECDSA_WITH_ARIA_256_GCM_SHA384 ECDHE_ECDSA_WITH_ARIA_256_CBC_SHA384",
                "2 | ECDHE_ECDSA_WITH_ARIA_128_GCM_SHA256 ECDHE_ECDSA_WITH_ARIA_128_CBC_SHA256",
                "2 | ECDHE_ECDSA_WITH_AES_256_CBC_SHA384 ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
                "2 | ECDHE_RSA_WITH_CAMELLIA_256_GCM_SHA384 ECDHE_RSA_WITH_CAMELLIA_256_CBC_SHA384",
                "2 | ECDHE_RSA_WITH_CAMELLIA_128_GCM_SHA256 ECDHE_RSA_WITH_CAMELLIA_128_CBC_SHA256",
                "2 | ECDHE_RSA_WITH_ARIA_256_GCM_SHA384 ECDHE_RSA_WITH_ARIA_256_CBC_SHA384",
                "2 | ECDHE_RSA_WITH_ARIA_128_GCM_SHA256 ECDHE_RSA_WITH_ARIA_128_CBC_SHA256",
                "2 | ECDHE_RSA_WITH_AES_256_CBC_SHA384 ECDHE_RSA_WITH_AES_128_CBC_SHA256",
                "2 | DHE_RSA_WITH_CHACHA20_POLY1305_SHA256 DHE_RSA_WITH_CAMELLIA_256_GCM_SHA384",
                "2 | DHE_RSA_WITH_CAMELLIA_256_CBC_SHA256 DHE_RSA_WITH_CAMELLIA_128_GCM_SHA256",
                "2 | DHE_RSA_WITH_CAMELLIA_128_CBC_SHA256 DHE_RSA_WITH_ARIA_256_GCM_SHA384",
                "2 | DHE_RSA_WITH_ARIA_256_CBC_SHA384 DHE_RSA_WITH_ARIA_128_GCM_SHA256",
                "2 | DHE_RSA_WITH_ARIA_128_CBC_SHA256 DHE_RSA_WITH_AES_256_GCM_SHA384 DHE_RSA_WITH_AES_256_CCM",
                "2 | DHE_RSA_WITH_AES_256_CBC_SHA256 DHE_RSA_WITH_AES_128_GCM_SHA256 DHE_RSA_WITH_AES_128_CCM",
                "2 | DHE_RSA_WITH_AES_128_CBC_SHA256",
                "3 | AES_128_CCM_8_SHA256 RSA_WITH_AES_128_GCM_SHA256 ECDHE_RSA_WITH_AES_128_CBC_SHA",
                "3 | ECDHE_RSA_WITH_AES_256_CBC_SHA ECDHE_RSA_WITH_RC4_128_SHA ECDHE_ECDSA_WITH_AES_128_CCM_8",
                "3 | DHE_RSA_WITH_AES_128_CBC_SHA DHE_RSA_WITH_AES_256_CBC_SHA DHE_RSA_WITH_3DES_EDE_CBC_SHA",
                "3 | DHE_DSS_WITH_AES_128_GCM_SHA256 ECDH_RSA_WITH_AES_128_GCM_SHA256 DH_anon_WITH_AES_128_GCM_SHA256",
            })
    void cipherSuitesHaveThePublishedLevel(int level, String suites) throws InvalidPolicyException {
        for (String suite : suites.split(" ")) {
            String name = "TLS_" + suite;
            assertLevel(
                    level,
                    name,
                    Map.of("ciphers", List.of(Map.of("version", "TLSv1.2", "name", name))),
                    "cipher_suites");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | X25519MLKEM768 SecP256r1MLKEM768 SecP384r1MLKEM1024",
                "1 | x25519 x448 secp256r1 secp384r1 secp521r1 brainpoolP256r1 brainpoolP384r1 brainpoolP512r1",
                "2 | secp224r1 ffdhe3072 ffdhe4096 ffdhe6144 ffdhe8192",
                "3 | ffdhe2048 dhe-2048 dhe-4096 secp256k1 sect571r1 secp192r1"
            })
    void groupsHaveThePublishedLevel(int level, String groups) throws InvalidPolicyException {
        for (String group : groups.split(" ")) {
            assertLevel(level, group, Map.of("key_exchange_groups", List.of(group)), "key_exchange_groups");
        }
    }

    /** @param level the index of the strictest policy that permits the value; 3 if it is insufficient */
    private static void assertLevel(int level, String value, Map<String, ?> fields, String rule)
            throws InvalidPolicyException {
        ModuleDescription module = Objects.requireNonNull(module("tls-protocols"));
        Map<String, Object> all = new HashMap<>();
        module.fields().forEach(field -> all.put(field.name(), null));
        all.putAll(fields);
        CheckResult result = new CheckResult(
                module.module(),
                module.rules(),
                "example.com",
                Verdict.PASS,
                all,
                List.of(),
                List.of(),
                null,
                Instant.EPOCH,
                0);
        for (int policy = 0; policy < POLICIES.size(); policy++) {
            String name = POLICIES.get(policy);
            Policy read = new PolicyReader(NcscPoliciesTest::module, new ExpressionPrograms())
                    .read(name, BuiltInPolicies.yaml(name));
            List<Finding> findings = new PolicyEvaluation(module, read, List.of(), LocalDate.EPOCH)
                    .apply(result)
                    .result()
                    .findings();
            assertThat(findings.stream()
                            .anyMatch(finding -> finding.code().equals("ncsc_" + rule)
                                    || finding.code().equals("ncsc_dhe_" + rule)))
                    .as("%s in %s", value, name)
                    .isEqualTo(policy < level);
        }
    }
}
