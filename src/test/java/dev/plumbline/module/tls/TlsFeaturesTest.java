package dev.plumbline.module.tls;

import static dev.plumbline.module.tls.TlsCodes.DHE_AES_128;
import static dev.plumbline.module.tls.TlsCodes.ECDHE_AES_128;
import static dev.plumbline.module.tls.TlsCodes.ECDHE_GCM;
import static dev.plumbline.module.tls.TlsCodes.RSA_AES_128;
import static dev.plumbline.module.tls.TlsCodes.SSL3;
import static dev.plumbline.module.tls.TlsCodes.TLS10;
import static dev.plumbline.module.tls.TlsCodes.TLS12;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.ScriptedTlsServer;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsScanFixture;
import dev.plumbline.probe.tls.TlsScanReport;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.support.Await;
import dev.plumbline.support.GoServer;
import dev.plumbline.support.NginxServer;
import dev.plumbline.support.OpensslServer;
import dev.plumbline.support.RenegotiationFilter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The optional features of TLS, each with a server that supports it and one that does not. */
class TlsFeaturesTest {
    private static final ModuleDefinition<TlsScanReport> MODULE = SheetModule.load(new TlsProtocols());
    private static final List<String> CODES = List.of(
            "secure_renegotiation_missing",
            "tls_compression",
            "client_renegotiation_accepted",
            "early_data_enabled",
            "fallback_scsv_missing",
            "features_unknown",
            "extended_master_secret_missing",
            "broken_signature_hash",
            "broken_signature_hash_accepted");

    private static TlsScanFixture fixture;
    private static TestCa.Identity rsa;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        fixture = TlsScanFixture.start();
        rsa = TestCa.selfSigned(CertificateSpec.server("lab.test").key("RSA-2048"));
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @Tag("integration")
    @Test
    void reportsTheFeaturesOfOpenssl() throws Exception {
        try (OpensslServer server = OpensslServer.start(folder, rsa);
                OpensslServer withoutTickets = OpensslServer.start(folder, rsa, "-no_ticket", "-no_tls1_3")) {
            CheckResult result = check(server.port());

            assertThat(result.fields())
                    .containsEntry("extended_master_secret", true)
                    .containsEntry("secure_renegotiation", true)
                    .containsEntry("client_renegotiation", false)
                    .containsEntry("early_data", false)
                    .containsEntry("fallback_scsv", true)
                    .containsEntry("compression", false)
                    .containsEntry("session_tickets", true)
                    // accepted by OpenSSL 3.0 if the client does not offer SHA-256
                    .containsEntry("key_exchange_hash", "SHA-224")
                    .containsEntry("post_quantum", false)
                    .containsEntry("dh_bits", 2048);
            assertThat(codes(result)).doesNotContainAnyElementsOf(CODES);
            assertThat(check(withoutTickets.port()).fields()).containsEntry("session_tickets", false);
        }
    }

    @Tag("integration")
    @Test
    void reportsPostQuantumKeyExchange() throws Exception {
        try (GoServer server = GoServer.start(folder, rsa, false)) {
            CheckResult result = check(server.port());

            assertThat(result.fields())
                    .containsEntry("extended_master_secret", true)
                    .containsEntry("secure_renegotiation", true)
                    .containsEntry("compression", false)
                    .containsEntry("session_tickets", true)
                    .containsEntry("post_quantum", true)
                    .containsEntry("dh_bits", null);
            assertThat(codes(result)).doesNotContainAnyElementsOf(CODES);
        }
    }

    @Tag("integration")
    @Test
    void reportsAMissingExtendedMasterSecret() throws Exception {
        try (NginxServer server = NginxServer.start(
                folder, rsa, "ssl_conf_command Options -ExtendedMasterSecret; ssl_session_tickets off;")) {
            CheckResult result = check(URI.create(server.https("/")).getPort());

            assertThat(result.fields())
                    .containsEntry("extended_master_secret", false)
                    .containsEntry("session_tickets", false)
                    .containsEntry("secure_renegotiation", true);
            assertThat(codes(result)).contains("extended_master_secret_missing");
        }
    }

    @Tag("integration")
    @Test
    void featuresOfEarlierVersionsDoNotApplyToTls13() throws Exception {
        try (OpensslServer server = OpensslServer.start(folder, rsa, "-tls1_3")) {
            CheckResult result = check(server.port());

            assertThat(result.fields())
                    .containsEntry("extended_master_secret", null)
                    .containsEntry("secure_renegotiation", null)
                    .containsEntry("key_exchange_hash", null)
                    .containsEntry("compression", false)
                    .containsEntry("post_quantum", false)
                    .containsEntry("dh_bits", 2048);
        }
    }

    @Tag("integration")
    @Test
    void reportsEarlyData() throws Exception {
        for (String suite :
                List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256")) {
            try (OpensslServer openssl =
                    OpensslServer.start(folder, rsa, "-max_early_data", "4096", "-ciphersuites", suite)) {
                CheckResult result = check(openssl.port());

                assertThat(result.fields()).containsEntry("early_data", true).containsEntry("session_tickets", true);
                assertThat(codes(result)).contains("early_data_enabled");
            }
        }
        for (boolean enabled : List.of(true, false)) {
            try (NginxServer server = NginxServer.start(
                    folder,
                    rsa,
                    "ssl_protocols TLSv1.2 TLSv1.3; ssl_early_data %s;".formatted(enabled ? "on" : "off"))) {
                CheckResult result = check(URI.create(server.https("/")).getPort());

                assertThat(result.fields()).containsEntry("early_data", enabled);
            }
        }
    }

    @Tag("integration")
    @Test
    void aServerWithoutTicketsDoesNotPermitEarlyData() throws Exception {
        try (OpensslServer server =
                OpensslServer.start(folder, rsa, "-tls1_3", "-num_tickets", "0", "-max_early_data", "4096")) {
            assertThat(check(server.port()).fields())
                    .containsEntry("session_tickets", false)
                    .containsEntry("early_data", false);
        }
        try (OpensslServer server = OpensslServer.start(folder, rsa, "-tls1_2")) {
            assertThat(check(server.port()).fields()).containsEntry("early_data", false);
        }
    }

    @Tag("integration")
    @Test
    void earlyDataIsUnknownIfAClientCertificateIsRequired() throws Exception {
        try (OpensslServer server = OpensslServer.start(folder, rsa, "-tls1_3", "-Verify", "1")) {
            CheckResult result = check(server.port());

            assertThat(result.fields()).containsEntry("early_data", null).containsEntry("session_tickets", null);
            assertThat(result.findings())
                    .filteredOn(finding -> finding.code().equals("features_unknown"))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.message()).contains("early_data: The server"));
        }
    }

    @Tag("integration")
    @ParameterizedTest
    @CsvSource({
        "-client_renegotiation, true",
        "-no_renegotiation, false",
        "-legacy_renegotiation, false",
        "-tls1_3, false",
        "-tls1_1, "
    })
    void reportsClientInitiatedRenegotiation(String option, @Nullable Boolean expected) throws Exception {
        try (OpensslServer server = OpensslServer.start(folder, rsa, option, "-cipher", "DEFAULT:@SECLEVEL=0")) {
            CheckResult result = check(server.port());

            assertThat(result.fields()).containsEntry("client_renegotiation", expected);
            assertThat(codes(result).contains("client_renegotiation_accepted"))
                    .isEqualTo(Boolean.TRUE.equals(expected));
            assertThat(codes(result).contains("features_unknown")).isEqualTo(expected == null);
        }
    }

    /** nginx closes the connection. */
    @Tag("integration")
    @Test
    void aClosedConnectionRejectsARenegotiation() throws Exception {
        try (NginxServer server = NginxServer.start(folder, rsa, "ssl_conf_command Options ClientRenegotiation;")) {
            assertThat(check(URI.create(server.https("/")).getPort()).fields())
                    .containsEntry("client_renegotiation", false);
        }
    }

    /** No response is a rejection, unless the first handshake took so long that a response can be late. */
    @Tag("integration")
    @ParameterizedTest
    @CsvSource({"1, false", "1000, "})
    void aServerThatIgnoresARenegotiationRejectsIt(long delayMillis, @Nullable Boolean expected) throws Exception {
        try (OpensslServer server = OpensslServer.start(folder, rsa, "-tls1_2", "-client_renegotiation")) {
            RenegotiationFilter filter = RenegotiationFilter.before(fixture.vertx(), server.port(), delayMillis);

            CheckResult result = fixture.check(MODULE, "127.0.0.1:" + filter.port(), Map.of(), 25_000);

            assertThat(result.fields()).containsEntry("client_renegotiation", expected);
            assertThat(codes(result).contains("features_unknown")).isEqualTo(expected == null);
        }
    }

    @Tag("integration")
    @Test
    void reportsFallbackProtection() throws Exception {
        try (OpensslServer single = OpensslServer.start(folder, rsa, "-tls1_2")) {
            assertThat(check(single.port()).fields()).containsEntry("fallback_scsv", null);
        }
        CheckResult without = check(
                scripted(ScriptedTlsServer.create().accepts(TLS12, ECDHE_GCM).accepts(TLS10, ECDHE_AES_128)));
        CheckResult with = check(scripted(ScriptedTlsServer.create()
                .accepts(TLS12, ECDHE_GCM)
                .accepts(TLS10, ECDHE_AES_128)
                .rejectingFallback()));

        assertThat(without.fields()).containsEntry("fallback_scsv", false);
        assertThat(codes(without)).contains("fallback_scsv_missing");
        assertThat(with.fields()).containsEntry("fallback_scsv", true);
        assertThat(codes(with)).doesNotContain("fallback_scsv_missing");
    }

    @Tag("integration")
    @Test
    void reportsAWeakHashFunctionThatIsNotPreferred() throws Exception {
        for (String weak : List.of("RSA+SHA1", "RSA+SHA224", "RSA+SHA512")) {
            try (OpensslServer server = OpensslServer.start(
                    folder, rsa, "-sigalgs", "RSA+SHA256:" + weak, "-cipher", "DEFAULT:@SECLEVEL=0")) {
                CheckResult result = check(server.port());

                assertThat(result.fields())
                        .containsEntry(
                                "key_exchange_hash",
                                weak.endsWith("SHA512") ? "SHA-256" : weak.replace("RSA+SHA", "SHA-"));
                assertThat(codes(result).contains("broken_signature_hash_accepted"))
                        .isEqualTo(weak.endsWith("SHA1"));
                assertThat(codes(result)).doesNotContain("broken_signature_hash");
            }
        }
    }

    /** Debian's OpenSSL cannot disable these features, or does not contain them. */
    @Test
    void reportsFeaturesThatCurrentLibrariesDoNotHave() {
        CheckResult result = check(scripted(ScriptedTlsServer.create()
                .accepts(TLS12, ECDHE_GCM)
                .extensions(ScriptedTlsServer.SESSION_TICKET)
                .compressing()));

        assertThat(result.fields())
                .containsEntry("extended_master_secret", false)
                .containsEntry("secure_renegotiation", false)
                .containsEntry("compression", true)
                .containsEntry("session_tickets", true);
        assertThat(codes(result))
                .containsExactly(
                        "tls13_missing",
                        "secure_renegotiation_missing",
                        "tls_compression",
                        "extended_master_secret_missing",
                        "features_unknown");
    }

    @Test
    void readsFeaturesOfTheNewestVersionBeforeTls13() {
        CheckResult result = check(scripted(ScriptedTlsServer.create()
                .accepts(SSL3, RSA_AES_128)
                .accepts(TLS10, ECDHE_AES_128)
                .extensions(ScriptedTlsServer.EXTENDED_MASTER_SECRET)));
        CheckResult oldest = check(
                scripted(ScriptedTlsServer.create().accepts(SSL3, RSA_AES_128).extensions()));

        assertThat(result.fields())
                .containsEntry("extended_master_secret", true)
                .containsEntry("secure_renegotiation", false)
                .containsEntry("key_exchange_hash", null)
                .containsEntry("post_quantum", false);
        assertThat(oldest.fields())
                .containsEntry("extended_master_secret", null)
                .containsEntry("secure_renegotiation", false);
    }

    @Test
    void isNotDeterminedWithoutAResponse() {
        ScriptedTlsServer server = ScriptedTlsServer.create()
                .accepts(TLS12, ECDHE_GCM)
                .ignoringSuite(0x1301)
                .extensions();

        CheckResult result =
                fixture.check(MODULE, "127.0.0.1:" + scripted(server), Map.of("timeout_ms", "3000"), 3_000);

        assertThat(result.fields())
                .containsEntry("post_quantum", null)
                .containsEntry("compression", false)
                .containsEntry("extended_master_secret", false);
    }

    @ParameterizedTest
    @CsvSource({
        "0x0201, SHA-1",
        "0x0101, MD5",
        "0x0303, SHA-224",
        "0x0804, SHA-256",
        "0x0503, SHA-384",
        "0x0807, SHA-512"
    })
    void reportsTheHashFunctionOfTheKeyExchange(String scheme, String hash) {
        for (int suite : List.of(ECDHE_GCM, DHE_AES_128)) {
            CheckResult result = check(
                    scripted(ScriptedTlsServer.create().accepts(TLS12, suite).signatures(Integer.decode(scheme))));

            assertThat(result.fields()).containsEntry("key_exchange_hash", hash);
            assertThat(codes(result).contains("broken_signature_hash"))
                    .isEqualTo(List.of("SHA-1", "MD5").contains(hash));
        }
    }

    @Tag("integration")
    @ParameterizedTest
    @ValueSource(strings = {"RSA+SHA1:SHA-1", "RSA+SHA384:SHA-384", "RSA-PSS+SHA512:SHA-512"})
    void reportsTheHashFunctionOfOpenssl(String each) throws Exception {
        String[] parts = each.split(":");
        try (OpensslServer server =
                OpensslServer.start(folder, rsa, "-tls1_2", "-sigalgs", parts[0], "-cipher", "ECDHE:DHE:@SECLEVEL=0")) {
            assertThat(check(server.port()).fields()).containsEntry("key_exchange_hash", parts[1]);
        }
    }

    @Test
    void reportsTheSmallestDiffieHellmanGroup() {
        assertThat(check(scripted(ScriptedTlsServer.create().prime(1536).accepts(TLS12, ECDHE_GCM, DHE_AES_128)))
                        .fields())
                .containsEntry("dh_bits", 1536);
        assertThat(check(scripted(ScriptedTlsServer.create().accepts(TLS12, ECDHE_GCM)))
                        .fields())
                .containsEntry("dh_bits", null);
    }

    private static int scripted(ScriptedTlsServer server) {
        return Await.value(server.listen(fixture.vertx())).port();
    }

    private static CheckResult check(int port) {
        return fixture.check(MODULE, "127.0.0.1:" + port, Map.of(), 10_000);
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }
}
