package dev.plumbline.module.tls;

import static dev.plumbline.module.tls.TlsCodes.ECDHE_GCM;
import static dev.plumbline.module.tls.TlsCodes.TLS12;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.ScriptedTlsServer;
import dev.plumbline.lab.StartTlsLab;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsScanFixture;
import dev.plumbline.probe.tls.TlsScanReport;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.support.Await;
import dev.plumbline.support.CountingProxy;
import dev.plumbline.support.NginxServer;
import dev.plumbline.support.OpensslServer;
import dev.plumbline.support.SmtpTlsProxy;
import dev.plumbline.support.StartTlsServer;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SmtpTlsTest {
    private static final ModuleDefinition<TlsScanReport> MODULE = SheetModule.load(new SmtpTls());
    private static final ModuleDefinition<TlsScanReport> COMPLETE = SheetModule.load(new TlsProtocols());
    private static final int MAX_CONNECTIONS = 20;

    private static TlsScanFixture fixture;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        fixture = TlsScanFixture.start();
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @Test
    void eachFindingHasALowerLevelThanThatOfAWebsite() {
        assertThat(MODULE.description().findings()).allSatisfy(finding -> {
            Level ofWebsite = Objects.requireNonNull(COMPLETE.description().finding(finding.code()))
                    .level();
            assertThat(finding.level())
                    .as(finding.code())
                    .isIn(ofWebsite == Level.FAIL ? List.of(Level.WARN, Level.INFO) : List.of(Level.INFO));
        });
    }

    @Tag("integration")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "RSA-2048 -cipher DEFAULT",
                "RSA-2048 -cipher DEFAULT:@SECLEVEL=0",
                "P-256 -serverpref -cipher DEFAULT:@SECLEVEL=0",
                "RSA-2048 -tls1_3",
                "RSA-2048 -tls1_2 -cipher DEFAULT",
                "RSA-2048 -max_early_data 4096 -client_renegotiation -sigalgs RSA+SHA256:RSA+SHA1 -cipher DEFAULT:@SECLEVEL=0"
            })
    void findsTheProblemsOfAScanOfAllCipherSuites(String options) throws Exception {
        String[] words = options.split(" ", 2);
        try (OpensslServer server = OpensslServer.start(folder, identity(words[0]), words[1].split(" "))) {
            SmtpTlsProxy proxy = SmtpTlsProxy.before(fixture.vertx(), server.port());

            CheckResult result = check(proxy.port());

            assertThat(proxy.connections()).as("connections").isLessThanOrEqualTo(MAX_CONNECTIONS);
            assertThat(codes(result)).doesNotContain("connection_limit_reached", "scan_incomplete", "features_unknown");
            CheckResult complete =
                    fixture.check(COMPLETE, "127.0.0.1:" + server.port(), Map.of("ciphers", "true"), 20_000);
            for (String field : List.of(
                    "versions",
                    "legacy_enabled",
                    "tls13",
                    "forward_secrecy",
                    "server_prefers_order",
                    "extended_master_secret",
                    "secure_renegotiation",
                    "client_renegotiation",
                    "early_data",
                    "compression",
                    "key_exchange_hash",
                    "dh_bits")) {
                assertThat(result.fields().get(field))
                        .as(field)
                        .isEqualTo(complete.fields().get(field));
            }
            assertThat(codes(result))
                    .containsExactlyInAnyOrderElementsOf(codes(complete).stream()
                            .filter(code -> !code.equals("alpn_unknown") && !code.equals("fallback_scsv_missing"))
                            .toList());
            assertThat(list(complete, "ciphers")).containsAll(list(result, "ciphers"));
            assertThat(list(complete, "weak_ciphers")).containsAll(list(result, "weak_ciphers"));
            assertThat(list(complete, "key_exchange_groups")).containsAll(list(result, "key_exchange_groups"));
            assertThat(list(result, "key_exchange_groups").contains("ffdhe2048"))
                    .isEqualTo(list(complete, "key_exchange_groups").contains("ffdhe2048"));
            assertThat(anySha1(result)).isEqualTo(anySha1(complete));
        }
    }

    private static boolean anySha1(CheckResult result) {
        return list(result, "ciphers").stream()
                .anyMatch(cipher -> cipher.toString().matches(".*name=TLS_ECDHE_.*_SHA[,}].*"));
    }

    @Tag("integration")
    @Test
    void scansPostfixWithinTheLimitOfConnections() throws Exception {
        try (StartTlsServer server = StartTlsServer.postfix(folder, identity("P-256"))) {
            CountingProxy proxy = CountingProxy.before(fixture.vertx(), server.port());

            CheckResult result = check(proxy.port());

            assertThat(proxy.connections()).isLessThanOrEqualTo(MAX_CONNECTIONS);
            assertThat(result.verdict()).isEqualTo(Verdict.PASS);
            assertThat(list(result, "versions")).contains("TLSv1.2", "TLSv1.3");
            assertThat(result.fields())
                    .containsEntry("extended_master_secret", true)
                    .containsEntry("secure_renegotiation", true)
                    .containsEntry("client_renegotiation", false)
                    .containsEntry("early_data", false)
                    .containsEntry("compression", false);
            assertThat(list(result, "ciphers")).isNotEmpty();
            assertThat(codes(result)).doesNotContain("connection_limit_reached", "scan_incomplete", "features_unknown");
        }
    }

    /** A list that is not complete is null, so that no rule of a policy concludes that nothing else is accepted. */
    @Tag("integration")
    @Test
    void reportsNoListsIfTheConnectionLimitIsReached() throws Exception {
        String all = "ssl_protocols TLSv1 TLSv1.1 TLSv1.2 TLSv1.3; ssl_ciphers ALL:COMPLEMENTOFALL:@SECLEVEL=0;";
        try (NginxServer server = NginxServer.start(folder, identity("RSA-2048"), all)) {
            SmtpTlsProxy proxy = SmtpTlsProxy.before(
                    fixture.vertx(), URI.create(server.https("/")).getPort());

            CheckResult result = check(proxy.port());

            assertThat(proxy.connections()).isLessThanOrEqualTo(MAX_CONNECTIONS);
            assertThat(result.verdict()).isEqualTo(Verdict.WARN);
            assertThat(codes(result)).contains("no_encryption", "no_authentication", "static_key_exchange");
            boolean limited = codes(result).contains("connection_limit_reached");
            assertThat(result.fields().get("ciphers") == null).isEqualTo(limited);
            assertThat(result.fields().get("key_exchange_groups") == null).isEqualTo(limited);
        }
    }

    @Tag("integration")
    @Test
    void aServerThatRejectsFurtherConnectionsIsNotReportedAsSecure() throws Exception {
        try (OpensslServer server =
                OpensslServer.start(folder, identity("RSA-2048"), "-cipher", "DEFAULT:@SECLEVEL=0")) {
            SmtpTlsProxy proxy = SmtpTlsProxy.before(fixture.vertx(), server.port(), nth -> nth <= 2);

            CheckResult result = check(proxy.port());

            assertThat(result.error()).isNull();
            assertThat(result.fields())
                    .containsEntry("versions", List.of("TLSv1.2", "TLSv1.3"))
                    .containsEntry("legacy_enabled", null)
                    .containsEntry("ciphers", null)
                    .containsEntry("key_exchange_groups", null)
                    .containsEntry("client_renegotiation", null)
                    .containsEntry("early_data", null)
                    .containsEntry("compression", null)
                    .containsEntry("key_exchange_hash", null);
            assertThat(codes(result)).contains("scan_incomplete", "features_unknown");
        }
    }

    /** Mail servers delay their greeting to detect senders that do not wait for it. */
    @Tag("integration")
    @Test
    void waitsForADelayedGreeting() throws Exception {
        try (OpensslServer server = OpensslServer.start(folder, identity("RSA-2048"))) {
            SmtpTlsProxy proxy = SmtpTlsProxy.beforeWithDelay(fixture.vertx(), server.port(), 4_000);

            CheckResult result = check(proxy.port());

            assertThat(result.error()).isNull();
            assertThat(result.fields()).containsEntry("versions", List.of("TLSv1.2", "TLSv1.3"));
        }
    }

    @Test
    void aServerThatRejectsAllConnectionsIsAnError() {
        CheckResult result =
                check(SmtpTlsProxy.before(fixture.vertx(), 1, nth -> false).port());

        assertThat(Objects.requireNonNull(result.error()).code()).isEqualTo(ErrorCode.TLS_HANDSHAKE_FAILED);
        assertThat(result.error().message()).contains("421 4.7.0 Too many connections");
        assertThat(result.findings()).isEmpty();
    }

    /** Debian's OpenSSL cannot disable these features, or does not contain them. */
    @Test
    void reportsFeaturesThatCurrentLibrariesDoNotHave() {
        ScriptedTlsServer server = Await.value(ScriptedTlsServer.create()
                .accepts(TLS12, ECDHE_GCM)
                .extensions()
                .compressing()
                .listen(fixture.vertx()));

        CheckResult result =
                check(SmtpTlsProxy.before(fixture.vertx(), server.port()).port());

        assertThat(result.fields())
                .containsEntry("extended_master_secret", false)
                .containsEntry("secure_renegotiation", false)
                .containsEntry("compression", true);
        assertThat(result.verdict()).isEqualTo(Verdict.WARN);
    }

    private static CheckResult check(int port) {
        return fixture.check(MODULE, "127.0.0.1:" + port, Map.of(), 15_000);
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(CheckResult result, String field) {
        return (List<Object>) Objects.requireNonNull(result.fields().get(field), field);
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }

    private static TestCa.Identity identity(String key) {
        return TestCa.selfSigned(CertificateSpec.server(StartTlsLab.HOST).key(key));
    }
}
