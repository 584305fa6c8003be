package dev.plumbline.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.ScriptedTlsServer;
import dev.plumbline.lab.StartTlsLab;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsScanFixture;
import dev.plumbline.module.tls.SmtpTls;
import dev.plumbline.probe.tls.TlsScanReport;
import dev.plumbline.result.Finding;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Await;
import dev.plumbline.support.NginxServer;
import dev.plumbline.support.OpensslServer;
import dev.plumbline.support.SmtpTlsProxy;
import java.net.URI;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The TLS subtests of internet.nl for mail servers, each with a mail server that does not pass it. */
class InternetNlMailTlsTest {
    private static final String POLICY = "internet-nl-mail";
    private static final String PREFIX = "internet_nl_";
    private static final int TLS12 = 0x0303;
    private static final int ECDHE_ECDSA_AES_128_GCM = 0xc02b;
    private static final ModuleDefinition<TlsScanReport> MODULE = SheetModule.load(new SmtpTls());
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();

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

    @Tag("integration")
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "P-256    | ECDHE+AESGCM | X25519:P-256 | -serverpref |",
                "P-256    | ECDHE+AESGCM | X25519:P-256 | -tls1_3     |",
                "P-256    | ECDHE+AESGCM | X25519:P-256 | -max_early_data 4096 | zero_rtt",
                "P-256    | ECDHE+AESGCM | X25519:P-256 | -tls1_2 -client_renegotiation | renegotiation_client",
                "P-256    | ECDHE+AESGCM | X25519:P-256:ffdhe2048 | -serverpref | fs_params",
                "P-256    | ECDHE+AESGCM:@SECLEVEL=0 | X25519:P-256 | -sigalgs ECDSA+SHA256:ECDSA+SHA1 | kex_hash_func",
                "P-256    | ECDHE+AESGCM:ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA384 | X25519:P-256 | -quiet "
                        + "| tls_cipher_order",
                "RSA-2048 | ECDHE+AESGCM:AES128-GCM-SHA256 | X25519:P-256 | -serverpref | tls_ciphers",
                "P-256    | ECDHE+AESGCM:ECDHE-ECDSA-AES128-SHA | X25519:P-256 | -serverpref | tls_ciphers",
                "P-256    | ECDHE+AESGCM:ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0 | X25519:P-256 | -serverpref "
                        + "| tls_ciphers tls_version",
            })
    void eachFaultOfAServerFailsItsSubtests(
            String key, String ciphers, String curves, String options, @Nullable String expected) throws Exception {
        String all = options + " -cipher " + ciphers + " -curves " + curves;
        try (OpensslServer server = OpensslServer.start(folder, identity(key), all.split(" "))) {
            assertThat(failed(SmtpTlsProxy.before(fixture.vertx(), server.port())))
                    .isEqualTo(names(expected));
        }
    }

    @Tag("integration")
    @Test
    void aServerWithoutExtendedMasterSecretFailsItsSubtest() throws Exception {
        String options = "ssl_ciphers ECDHE+AESGCM; ssl_conf_command Options -ExtendedMasterSecret;"
                + " ssl_ecdh_curve X25519:prime256v1;";
        try (NginxServer server = NginxServer.start(folder, identity("P-256"), options)) {
            int port = URI.create(server.https("/")).getPort();

            assertThat(failed(SmtpTlsProxy.before(fixture.vertx(), port))).isEqualTo(names("extended_master_secret"));
        }
    }

    /** Current libraries cannot do this. A renegotiation cannot be tested with the scripted server. */
    @Test
    void aServerWithCompressionOrWithoutSecureRenegotiationFailsItsSubtest() {
        assertThat(failed(scripted(ScriptedTlsServer.create().compressing())))
                .isEqualTo(names("renegotiation_client tls_compression"));
        assertThat(failed(scripted(ScriptedTlsServer.create().extensions(ScriptedTlsServer.EXTENDED_MASTER_SECRET))))
                .isEqualTo(names("renegotiation_client renegotiation_secure"));
    }

    @Tag("integration")
    @Test
    void whatWasNotDeterminedIsNotPassed() throws Exception {
        String options = "-cipher ECDHE+AESGCM -curves X25519:P-256 -serverpref";
        try (OpensslServer server = OpensslServer.start(folder, identity("P-256"), options.split(" "))) {
            assertThat(failed(SmtpTlsProxy.before(fixture.vertx(), server.port(), nth -> nth <= 2)))
                    .isEqualTo(names("fs_params kex_hash_func renegotiation_client tls_cipher_order tls_ciphers"
                            + " tls_compression tls_version zero_rtt"));
        }
    }

    private static SmtpTlsProxy scripted(ScriptedTlsServer server) {
        int port = Await.value(server.accepts(TLS12, ECDHE_ECDSA_AES_128_GCM).listen(fixture.vertx()))
                .port();
        return SmtpTlsProxy.before(fixture.vertx(), port);
    }

    private static Set<String> failed(SmtpTlsProxy server) {
        try {
            Policy policy = new PolicyReader(InternetNlMailTlsTest::module, new ExpressionPrograms())
                    .read(POLICY, BuiltInPolicies.yaml(POLICY));
            return new PolicyEvaluation(MODULE.description(), policy, List.of(), LocalDate.EPOCH)
                            .apply(fixture.check(MODULE, "127.0.0.1:" + server.port(), Map.of(), 15_000))
                            .result()
                            .findings()
                            .stream()
                            .map(Finding::code)
                            .filter(code -> code.startsWith(PREFIX))
                            .map(code -> code.substring(PREFIX.length()))
                            .collect(Collectors.toCollection(TreeSet::new));
        } catch (InvalidPolicyException invalid) {
            throw new AssertionError(invalid);
        }
    }

    private static @Nullable ModuleDescription module(String name) {
        ModuleDefinition<?> found = MODULES.find(name);
        return found == null ? null : found.description();
    }

    private static Set<String> names(@Nullable String list) {
        return list == null ? Set.of() : new TreeSet<>(List.of(list.split(" ")));
    }

    private static TestCa.Identity identity(String key) {
        return TestCa.selfSigned(CertificateSpec.server(StartTlsLab.HOST).key(key));
    }
}
