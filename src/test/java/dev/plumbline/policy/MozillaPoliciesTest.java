package dev.plumbline.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsScanFixture;
import dev.plumbline.module.tls.TlsProtocols;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.support.NginxServer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
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

    /** The published directives, without X25519MLKEM768, which Debian's OpenSSL does not support. */
    private static final Map<String, String> DIRECTIVES = Map.of(
            "modern",
            """
            ssl_protocols TLSv1.3;
            ssl_ecdh_curve X25519:prime256v1:secp384r1;
            ssl_prefer_server_ciphers off;
            """,
            "intermediate",
            """
            ssl_protocols TLSv1.2 TLSv1.3;
            ssl_ecdh_curve X25519:prime256v1:secp384r1;
            ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305;
            ssl_prefer_server_ciphers off;
            """,
            "old",
            """
            ssl_protocols TLSv1 TLSv1.1 TLSv1.2 TLSv1.3;
            ssl_ecdh_curve X25519:prime256v1:secp384r1;
            ssl_ciphers @SECLEVEL=0:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA384:ECDHE-RSA-AES256-SHA384:ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA:AES128-GCM-SHA256:AES256-GCM-SHA384:AES128-SHA256:AES256-SHA256:AES128-SHA:AES256-SHA:DES-CBC3-SHA;
            ssl_prefer_server_ciphers on;
            """);

    private static final Map<String, CheckResult> RESULTS = new HashMap<>();

    @TempDir
    static Path folder;

    private static TlsScanFixture fixture;

    @BeforeAll
    static void scan() throws Exception {
        fixture = TlsScanFixture.start();
        for (Map.Entry<String, String> configuration : DIRECTIVES.entrySet()) {
            Path directory = Files.createDirectory(folder.resolve(configuration.getKey()));
            TestCa.Identity identity =
                    TestCa.selfSigned(CertificateSpec.server("lab.test").key("RSA-2048"));
            try (NginxServer server = NginxServer.start(directory, identity, configuration.getValue())) {
                int port = URI.create(server.https("/")).getPort();
                RESULTS.put(
                        configuration.getKey(),
                        fixture.check(MODULE, "127.0.0.1:" + port, Map.of("ciphers", "true"), 20_000));
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
        String yaml = Objects.requireNonNull(BuiltInPolicies.yaml("mozilla-" + name));
        Policy policy =
                new PolicyReader(module -> MODULE.description(), new ExpressionPrograms()).read(name, onlyTls(yaml));
        CheckResult result = Objects.requireNonNull(RESULTS.get(configuration));

        PolicyEvaluation.Evaluated evaluated =
                new PolicyEvaluation(MODULE.description(), policy, List.of(), LocalDate.of(2026, 11, 26)).apply(result);

        List<String> expected = unmet == null ? List.of() : List.of(unmet.split(" "));
        assertThat(evaluated.result().findings().stream()
                        .filter(finding -> finding.code().startsWith("mozilla_"))
                        .map(Finding::code))
                .as(evaluated.result().toString())
                .containsExactlyElementsOf(expected);
        if (expected.isEmpty()) {
            assertThat(evaluated.result().findings().stream()
                            .filter(finding -> finding.level() != Level.INFO)
                            .map(Finding::code))
                    .isEmpty();
        }
    }

    /** The part of a policy about tls-protocols. */
    private static String onlyTls(String yaml) {
        return yaml.substring(0, yaml.indexOf("\n  ssl-certificate:"));
    }
}
