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
import dev.plumbline.config.Config;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.ScriptedTlsServer;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsScanFixture;
import dev.plumbline.lab.TlsServers;
import dev.plumbline.probe.tls.TlsFeatures;
import dev.plumbline.probe.tls.TlsScanReport;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.support.OpensslServer;
import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.KeyExchangeGroup;
import dev.plumbline.tls.TlsVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TlsProtocolsTest {
    private static final ModuleDefinition<TlsScanReport> MODULE = SheetModule.load(new TlsProtocols());
    private static final int RC4_MD5 = 0x0004;
    private static final int EXPORT_RC4 = 0x0003;
    private static final int NULL_SHA = 0x0002;
    private static final int ANON_RC4 = 0x0018;
    private static final int TRIPLE_DES = 0x000a;
    private static final int DH_ANON_AES_128 = 0x0034;
    private static final int ECDH_ANON_AES_128 = 0xc018;

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
    @ParameterizedTest
    @CsvSource({"-tls1, TLSv1, FAIL", "-tls1_1, TLSv1.1, FAIL", "-tls1_2, TLSv1.2, PASS", "-tls1_3, TLSv1.3, PASS"})
    void detectsASingleVersion(String option, String version, Verdict verdict) throws Exception {
        try (OpensslServer server = OpensslServer.start(folder, rsa, option, "-cipher", "DEFAULT:@SECLEVEL=0")) {
            CheckResult result = check(server.port(), Map.of());

            assertThat(result.fields().get("versions")).isEqualTo(List.of(version));
            assertThat(result.fields())
                    .containsEntry("tls13", version.equals("TLSv1.3"))
                    .containsEntry("legacy_enabled", !version.equals("TLSv1.3") && !version.equals("TLSv1.2"))
                    .containsEntry("forward_secrecy", true);
            assertThat(result.verdict()).isEqualTo(verdict);
            assertThat(codes(result)).doesNotContain("scan_incomplete");
        }
    }

    @Tag("integration")
    @Test
    void detectsAlpnProtocols() throws Exception {
        for (String version : List.of("-tls1_2", "-tls1_3")) {
            try (OpensslServer server = OpensslServer.start(folder, rsa, version, "-alpn", "http/1.1,h2")) {
                List<?> alpn = (List<?>) check(server.port(), Map.of()).fields().get("alpn");

                assertThat(alpn.stream().map(String::valueOf).toList()).containsExactlyInAnyOrder("h2", "http/1.1");
            }
        }
    }

    @Tag("integration")
    @Test
    void detectsGroupsOfServersWithEcdsaKeys() throws Exception {
        TestCa.Identity curve =
                TestCa.selfSigned(CertificateSpec.server("lab.test").key("P-256"));
        for (String version : List.of("-tls1_2", "-tls1_3")) {
            try (OpensslServer server = OpensslServer.start(folder, curve, version, "-groups", "P-256:X25519:P-521")) {
                List<?> groups =
                        (List<?>) check(server.port(), Map.of()).fields().get("key_exchange_groups");

                assertThat(groups.stream().map(String::valueOf).toList())
                        .containsExactlyInAnyOrder("secp256r1", "x25519", "secp521r1");
            }
        }
    }

    @Tag("integration")
    @Test
    void detectsTheServerCipherSuiteOrder() throws Exception {
        try (OpensslServer own = OpensslServer.start(folder, rsa, "-tls1_2", "-serverpref");
                OpensslServer polite = OpensslServer.start(folder, rsa, "-tls1_2");
                OpensslServer single =
                        OpensslServer.start(folder, rsa, "-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256")) {
            assertThat(check(own.port(), Map.of()).fields()).containsEntry("server_prefers_order", true);
            assertThat(check(polite.port(), Map.of()).fields()).containsEntry("server_prefers_order", false);
            assertThat(check(single.port(), Map.of()).fields()).containsEntry("server_prefers_order", null);
        }
    }

    @Test
    void detectsLegacyVersionsAndCipherSuites() {
        ScriptedTlsServer server = scripted(ScriptedTlsServer.create()
                .accepts(SSL3, RC4_MD5, EXPORT_RC4)
                .accepts(TLS10, RSA_AES_128, TRIPLE_DES, ANON_RC4, NULL_SHA));

        CheckResult result = check(server.port(), Map.of());

        assertThat(result.fields().get("versions")).isEqualTo(List.of("SSLv3", "TLSv1"));
        assertThat(((List<?>) result.fields().get("weak_ciphers")).stream().map(String::valueOf))
                .containsExactlyInAnyOrder(
                        "TLS_RSA_WITH_RC4_128_MD5",
                        "TLS_RSA_EXPORT_WITH_RC4_40_MD5",
                        "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
                        "TLS_DH_anon_WITH_RC4_128_MD5",
                        "TLS_RSA_WITH_NULL_SHA");
        assertThat(codes(result))
                .containsExactly(
                        "ssl3_enabled",
                        "only_legacy_versions",
                        "tls10_enabled",
                        "no_encryption",
                        "no_authentication",
                        "export_cipher",
                        "rc4_cipher",
                        "small_block_cipher",
                        "no_forward_secrecy",
                        "no_authenticated_encryption",
                        "features_unknown",
                        "fallback_scsv_missing");
        assertThat(result.fields()).containsEntry("server_prefers_order", true);
        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
    }

    @Test
    void testsWeakCipherSuitesFirstUnderTheConnectionLimit() {
        List<CipherSuite> plain = CipherSuite.of(TlsVersion.TLS_1_0).stream()
                .filter(suite -> suite.code() >> 8 == 0)
                .toList();
        List<CipherSuite> weak =
                plain.stream().filter(CipherSuite::weak).limit(20).toList();
        Stream<CipherSuite> strong = CipherSuite.of(TlsVersion.TLS_1_2).stream().filter(suite -> !suite.weak());
        Integer[] some =
                Stream.concat(strong, weak.stream()).map(CipherSuite::code).toArray(Integer[]::new);
        ScriptedTlsServer server = scripted(ScriptedTlsServer.create()
                .accepts(TLS12, some)
                .accepts(0x0302, some)
                .accepts(TLS10, some));

        CheckResult result = check(server.port(), Map.of("ciphers", "true"));

        assertThat(codes(result)).contains("scan_limit_reached");
        assertThat(((List<?>) result.fields().get("weak_ciphers")).stream().map(String::valueOf))
                .containsExactlyInAnyOrderElementsOf(
                        weak.stream().map(CipherSuite::name).toList());
    }

    @Tag("integration")
    @Test
    void nullCipherSuitesAreNotReportedAsCbc() throws Exception {
        try (OpensslServer server = OpensslServer.start(folder, rsa, "-tls1_2", "-cipher", "NULL:@SECLEVEL=0")) {
            assertThat(codes(check(server.port(), Map.of())))
                    .contains("no_encryption")
                    .doesNotContain("no_authenticated_encryption");
        }
    }

    @Tag("integration")
    @Test
    void reportsTheConnectionLimit() throws Exception {
        try (OpensslServer server = OpensslServer.start(folder, rsa, "-tls1_2", "-cipher", "ALL:eNULL:@SECLEVEL=0")) {
            CheckResult few = check(server.port(), Map.of());
            CheckResult every = check(server.port(), Map.of("ciphers", "true"));

            assertThat(codes(few)).contains("connection_limit_reached").doesNotContain("scan_incomplete");
            assertThat(((List<?>) every.fields().get("weak_ciphers")).stream().map(String::valueOf))
                    .contains("TLS_RSA_WITH_NULL_MD5")
                    .containsAll(((List<?>) few.fields().get("weak_ciphers"))
                            .stream().map(String::valueOf).toList());
        }
    }

    @ParameterizedTest
    @CsvSource({"512, dh_prime_broken", "1024, dh_prime_broken", "1536, dh_prime_short", "2048, -"})
    void reportsTheSizeOfTheDiffieHellmanPrime(int bits, String code) {
        ScriptedTlsServer server = scripted(ScriptedTlsServer.create()
                .prime(bits)
                .accepts(TLS12, ECDHE_GCM, DHE_AES_128)
                .groups(23, 21));

        CheckResult result = check(server.port(), Map.of());

        assertThat(((List<?>) result.fields().get("key_exchange_groups"))
                        .stream().map(String::valueOf))
                .containsExactlyInAnyOrder("secp256r1", "secp224r1", "dhe-" + bits);
        assertThat(codes(result).stream().filter(each -> each.startsWith("dh_prime")))
                .isEqualTo(code.equals("-") ? List.of() : List.of(code));
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void reportsTheDiffieHellmanPrimeOfAnAnonymousSuite(boolean ciphers) {
        ScriptedTlsServer server = scripted(ScriptedTlsServer.create()
                .prime(1024)
                .accepts(TLS12, ECDHE_GCM, ECDH_ANON_AES_128, DH_ANON_AES_128)
                .groups(23));

        CheckResult result = check(server.port(), Map.of("ciphers", ciphers));

        assertThat(codes(result)).contains("no_authentication", "dh_prime_broken");
    }

    @Test
    void testsAllCipherSuitesOnlyWithTheOption() {
        Integer[] all = CipherSuite.of(TlsVersion.TLS_1_2).stream()
                .map(CipherSuite::code)
                .filter(code -> code >> 8 != 0xc1)
                .limit(40)
                .toArray(Integer[]::new);
        ScriptedTlsServer server =
                scripted(ScriptedTlsServer.create().accepts(TLS12, all).accepts(TLS10, ECDHE_AES_128));

        CheckResult few = check(server.port(), Map.of());
        int asked = server.clientHellos();
        CheckResult every = check(server.port(), Map.of("ciphers", "true"));

        assertThat(asked).isLessThanOrEqualTo(25);
        assertThat(((List<?>) few.fields().get("ciphers")).size()).isLessThan(all.length);
        assertThat(every.fields().get("ciphers"))
                .isEqualTo(Stream.concat(
                                Arrays.stream(all).map(code -> row("TLSv1.2", code)),
                                Stream.of(row("TLSv1", ECDHE_AES_128)))
                        .toList());
        assertThat(server.maxOpenConnections()).isLessThanOrEqualTo(5);
        assertThat(codes(every)).doesNotContain("scan_incomplete");
    }

    @Test
    void opensAtMost200Connections() {
        Integer[] all = CipherSuite.of(TlsVersion.TLS_1_2).stream()
                .map(CipherSuite::code)
                .toArray(Integer[]::new);
        ScriptedTlsServer server = scripted(ScriptedTlsServer.create()
                .accepts(TLS12, all)
                .accepts(TLS10, all)
                .accepts(SSL3, all));

        CheckResult result = check(server.port(), Map.of("ciphers", "true"));

        assertThat(server.clientHellos()).isEqualTo(200);
        assertThat(codes(result))
                .contains("scan_limit_reached")
                .doesNotContain("scan_incomplete", "connection_limit_reached");
    }

    @Test
    void opensAtMost25ConnectionsWithoutTheOption() {
        Integer[] all = CipherSuite.of(TlsVersion.TLS_1_2).stream()
                .map(CipherSuite::code)
                .toArray(Integer[]::new);
        ScriptedTlsServer server = scripted(ScriptedTlsServer.create()
                .accepts(TLS12, all)
                .accepts(TLS10, all)
                .accepts(SSL3, all)
                .prime(1024)
                .groups(KeyExchangeGroup.CURVES.toArray(Integer[]::new)));

        CheckResult result = check(server.port(), Map.of());

        assertThat(server.clientHellos()).isLessThanOrEqualTo(25);
        assertThat(codes(result))
                .contains(
                        "ssl3_enabled",
                        "no_encryption",
                        "no_authentication",
                        "export_cipher",
                        "rc4_cipher",
                        "small_block_cipher",
                        "dh_prime_broken",
                        "weak_group",
                        "static_key_exchange",
                        "connection_limit_reached");
        assertThat(result.fields()).containsEntry("server_prefers_order", true);
    }

    @Test
    void aClosedConnectionMeansThatTheVersionIsNotSupported() {
        ScriptedTlsServer server =
                scripted(ScriptedTlsServer.create().accepts(TLS12, ECDHE_GCM).closingInsteadOfAlert());

        CheckResult result = check(server.port(), Map.of());

        assertThat(result.fields().get("versions")).isEqualTo(List.of("TLSv1.2"));
        // This server does not complete handshakes.
        assertThat(codes(result)).containsExactly("tls13_missing", "features_unknown");
    }

    @Test
    void aVersionWithoutAResponseIsNotReportedAsMissing() {
        ScriptedTlsServer server =
                scripted(ScriptedTlsServer.create().accepts(TLS12, ECDHE_GCM).ignoringSuite(0x1301));

        CheckResult result = fixture.check(MODULE, "127.0.0.1:" + server.port(), Map.of(), 3_000);

        assertThat(codes(result)).containsExactly("features_unknown", "scan_incomplete");
        assertThat(result.findings().get(1).message()).contains("TLS versions without a conclusive response: TLSv1.3.");
    }

    /** An alert is a response. BoringSSL does not support these algorithms, and the JDK only the group. */
    @Tag("integration")
    @Test
    void reportsAlpnThatCannotBeTested() throws Exception {
        try (OpensslServer ccm = OpensslServer.start(
                        folder, rsa, "-tls1_3", "-alpn", "h2", "-ciphersuites", "TLS_AES_128_CCM_8_SHA256");
                OpensslServer group =
                        OpensslServer.start(folder, rsa, "-tls1_3", "-alpn", "h2", "-groups", "ffdhe3072");
                OpensslServer other = OpensslServer.start(folder, rsa, "-tls1_3", "-alpn", "imap")) {
            CheckResult unknown = check(ccm.port(), Map.of());
            CheckResult known = check(group.port(), Map.of());
            CheckResult none = check(other.port(), Map.of());

            assertThat(unknown.fields().get("alpn")).isEqualTo(List.of());
            assertThat(codes(unknown)).contains("alpn_unknown").doesNotContain("scan_incomplete");
            assertThat(known.fields().get("alpn")).isEqualTo(List.of("h2"));
            assertThat(codes(known)).doesNotContain("alpn_unknown", "scan_incomplete");
            assertThat(none.fields().get("alpn")).isEqualTo(List.of());
            assertThat(codes(none)).doesNotContain("alpn_unknown", "scan_incomplete");
        }
    }

    @Tag("integration")
    @Test
    void evaluatesServersThatRejectAllAlpnProtocols() throws Exception {
        try (OpensslServer server = OpensslServer.start(folder, rsa, "-tls1_2", "-serverpref", "-alpn", "lab")) {
            CheckResult result = check(server.port(), Map.of());

            assertThat(result.fields().get("alpn")).isEqualTo(List.of());
            assertThat(result.fields()).containsEntry("server_prefers_order", true);
            assertThat(codes(result)).doesNotContain("scan_incomplete");
        }
    }

    @Test
    void aStartedScanWaitsForTheRateLimit() {
        Integer[] all = CipherSuite.of(TlsVersion.TLS_1_2).stream()
                .map(CipherSuite::code)
                .limit(30)
                .toArray(Integer[]::new);
        ScriptedTlsServer server = scripted(ScriptedTlsServer.create().accepts(TLS12, all));

        CheckResult result = fixture.checkWithRateLimit(
                MODULE, "127.0.0.1:" + server.port(), Map.of("ciphers", "true"), new Config.OutboundLimit(20, 1));

        assertThat((List<?>) result.fields().get("ciphers")).hasSize(all.length);
        assertThat(server.maxOpenConnections()).isLessThanOrEqualTo(2);
    }

    @Test
    void reportsErrorsForMalformedResponses() throws Exception {
        try (TlsServers servers = new TlsServers()) {
            byte[] http = "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
            byte[] endless = {22, 3, 3, 0, 4, 0, 0, 0, 0};
            byte[] broken = {22, 3, 3, 0, 8, 2, 0, 0, 4, 1, 2, 3, 4};
            expectError(servers.respond(http), ErrorCode.TLS_HANDSHAKE_FAILED);
            expectError(
                    servers.sendOnConnect("220 mail".getBytes(StandardCharsets.US_ASCII)),
                    ErrorCode.TLS_HANDSHAKE_FAILED);
            expectError(servers.respond(broken), ErrorCode.TLS_HANDSHAKE_FAILED);
            expectError(servers.closing(), ErrorCode.TLS_HANDSHAKE_FAILED);
            expectError(servers.resetting(), ErrorCode.CONNECTION_RESET);
            expectError(servers.silent(), ErrorCode.READ_TIMEOUT);
            expectError(servers.dripping(new byte[] {22, 3, 3, 0, 40}, Duration.ofMillis(300)), ErrorCode.READ_TIMEOUT);
            expectError(servers.repeating(endless, Duration.ofMillis(1)), ErrorCode.READ_TIMEOUT);
        }
    }

    private static void expectError(int port, ErrorCode code) {
        CheckResult result = fixture.check(MODULE, "127.0.0.1:" + port, Map.of("timeout_ms", "1000"), 1000);

        assertThat(result.error()).isNotNull();
        assertThat(result.error().code()).as(result.error().message()).isEqualTo(code);
        assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
    }

    @Test
    void evaluationDependsOnTheEvidenceOnly() {
        assertThat(evaluate(chosen(TlsVersion.TLS_1_3, 0x1301), 0, null, 0)).isEmpty();
        assertThat(evaluate(chosen(TlsVersion.TLS_1_2, ECDHE_GCM), 0, null, 0)).containsExactly("tls13_missing");
        assertThat(evaluate(chosen(TlsVersion.TLS_1_2, ECDHE_AES_128), 0, null, 0))
                .containsExactly("tls13_missing", "no_authenticated_encryption");
        assertThat(evaluate(chosen(TlsVersion.TLS_1_2, 0x009c), 0, CipherSuite.of(0x009c), 0))
                .containsExactly("tls13_missing", "no_forward_secrecy");
        assertThat(evaluate(chosen(TlsVersion.TLS_1_3, 0x1301), 0, CipherSuite.of(RSA_AES_128), 2))
                .containsExactly("static_key_exchange", "scan_incomplete");
        assertThat(evaluate(chosen(TlsVersion.TLS_1_3, 0x1301), 1024, null, 0)).containsExactly("dh_prime_broken");
    }

    @Test
    void cipherSelectionIsNotEvaluatedIfANewerVersionIsUnknown() {
        assertThat(evaluate(chosen(TlsVersion.TLS_1_0, RSA_AES_128), Set.of(TlsVersion.TLS_1_2), 1))
                .containsExactly("tls10_enabled", "scan_incomplete");
        assertThat(evaluate(chosen(TlsVersion.TLS_1_2, RSA_AES_128), Set.of(TlsVersion.TLS_1_3), 1))
                .containsExactly("scan_incomplete");
        assertThat(evaluate(chosen(TlsVersion.TLS_1_2, RSA_AES_128), Set.of(TlsVersion.TLS_1_0), 1))
                .containsExactly(
                        "tls13_missing", "no_forward_secrecy", "no_authenticated_encryption", "scan_incomplete");
    }

    private static Map<TlsVersion, CipherSuite> chosen(TlsVersion version, int suite) {
        Map<TlsVersion, CipherSuite> chosen = new EnumMap<>(TlsVersion.class);
        chosen.put(version, CipherSuite.of(suite));
        return chosen;
    }

    private static List<String> evaluate(
            Map<TlsVersion, CipherSuite> chosen, int primeBits, @Nullable CipherSuite staticKey, int unanswered) {
        return evaluate(chosen, primeBits, staticKey, Set.of(), unanswered);
    }

    private static List<String> evaluate(Map<TlsVersion, CipherSuite> chosen, Set<TlsVersion> unknown, int unanswered) {
        return evaluate(chosen, 0, null, unknown, unanswered);
    }

    private static List<String> evaluate(
            Map<TlsVersion, CipherSuite> chosen,
            int primeBits,
            @Nullable CipherSuite staticKey,
            Set<TlsVersion> unknown,
            int unanswered) {
        TlsScanReport offer = new TlsScanReport(
                chosen,
                Map.of(),
                List.of(29),
                primeBits,
                staticKey,
                List.of(),
                false,
                null,
                new TlsFeatures(null, null, null, null, null, null, null, null, null, null, Map.of()),
                unknown,
                unanswered,
                0);
        Evaluation evaluation = MODULE.evaluate(offer, Options.defaults(MODULE.description()));
        return evaluation.findings().stream().map(Finding::code).toList();
    }

    private static Map<String, String> row(String version, int code) {
        return Map.of("version", version, "name", CipherSuite.of(code).name());
    }

    private static ScriptedTlsServer scripted(ScriptedTlsServer server) {
        return Await.value(server.listen(fixture.vertx()));
    }

    /** More addresses than a check connects to, so that a name with addresses of others causes few connections. */
    @Test
    void triesOnlyAFewOfManyAddresses() throws IOException {
        String[] addresses =
                IntStream.rangeClosed(1, 120).mapToObj(i -> "127.0.1." + i).toArray(String[]::new);
        fixture.dns().address("many.lab.test", addresses);
        int closed = FreePorts.next();

        CheckResult result = fixture.check(MODULE, "many.lab.test:" + closed, Map.of("ip_version", "4"), 10_000);

        assertThat(Objects.requireNonNull(result.error()).code()).isEqualTo(ErrorCode.CONNECT_REFUSED);
    }

    private static CheckResult check(int port, Map<String, ?> options) {
        return fixture.check(MODULE, "127.0.0.1:" + port, options, 10_000);
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }
}
