package dev.plumbline.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.TlsScanFixture;
import dev.plumbline.module.tls.TlsProtocols;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.support.NginxServer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The policies with the TLS configurations of nginx that Mozilla publishes. */
@Tag("integration")
class MozillaPoliciesTest {
    private static final ModuleDefinition<?> MODULE = SheetModule.load(new TlsProtocols());

    private static final Map<String, CheckResult> RESULTS = new HashMap<>();

    @TempDir
    static Path folder;

    private static TlsScanFixture fixture;

    @BeforeAll
    static void scan() throws Exception {
        fixture = TlsScanFixture.start();
        for (String configuration : MozillaServers.CONFIGURATIONS) {
            try (NginxServer server = MozillaServers.start(folder, configuration)) {
                RESULTS.put(
                        configuration,
                        fixture.check(
                                MODULE, "127.0.0.1:" + MozillaServers.port(server), Map.of("ciphers", "true"), 20_000));
            }
        }
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "modern       | modern       | ",
                "modern       | intermediate | ",
                "modern       | old          | mozilla_cipher_order",
                "intermediate | modern       | mozilla_tls_versions mozilla_cipher_suites",
                "intermediate | intermediate | ",
                "intermediate | old          | mozilla_cipher_order",
                "old          | modern       | mozilla_tls_versions mozilla_cipher_suites mozilla_cipher_order",
                "old          | intermediate | mozilla_tls_versions mozilla_cipher_suites mozilla_cipher_order",
                "old          | old          | "
            })
    void eachConfigurationMeetsThePoliciesThatAreNotStricter(String configuration, String name, String unmet)
            throws InvalidPolicyException {
        CheckResult result = Objects.requireNonNull(RESULTS.get(configuration));

        List<Finding> findings = MozillaServers.findings(MozillaServers.policy(name), result);

        List<String> expected = unmet == null ? List.of() : List.of(unmet.split(" "));
        assertThat(findings.stream()
                        .filter(finding -> finding.code().startsWith("mozilla_"))
                        .map(Finding::code))
                .as(findings.toString())
                .containsExactlyElementsOf(expected);
        if (expected.isEmpty()) {
            assertThat(findings.stream()
                            .filter(finding -> finding.level() != Level.INFO)
                            .map(Finding::code))
                    .isEmpty();
        }
    }
}
