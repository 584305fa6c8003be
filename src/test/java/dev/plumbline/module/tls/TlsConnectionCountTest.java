package dev.plumbline.module.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsScanFixture;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.support.CountingProxy;
import dev.plumbline.support.NginxServer;
import dev.plumbline.support.OpensslServer;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The number of connections that one check opens to real servers. */
@Tag("integration")
class TlsConnectionCountTest {
    private static final String OLD = "ssl_protocols TLSv1 TLSv1.1 TLSv1.2 TLSv1.3; ssl_ciphers %s:@SECLEVEL=0;";
    private static final List<String> GROUPS = List.of(
            "x25519",
            "secp256r1",
            "x448",
            "secp521r1",
            "secp384r1",
            "ffdhe2048",
            "ffdhe3072",
            "ffdhe4096",
            "ffdhe6144",
            "ffdhe8192");

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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RSA-2048 -cipher DEFAULT",
                "RSA-2048 -cipher DEFAULT:@SECLEVEL=0",
                "RSA-2048 -serverpref -alpn h2,http/1.1 -cipher DEFAULT:@SECLEVEL=0",
                "P-256 -serverpref -alpn h2,http/1.1 -cipher DEFAULT:@SECLEVEL=0",
                "RSA-2048 -tls1_3 -alpn h2,http/1.1",
                "RSA-2048 -tls1_2 -cipher DEFAULT"
            })
    void scansTypicalOpensslServersWithin25Connections(String options) throws Exception {
        String[] words = options.split(" ", 2);
        try (OpensslServer server = OpensslServer.start(folder, identity(words[0]), words[1].split(" "))) {
            assertCompleteScan(options, server.port());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "DEFAULT", "AES:!aNULL"})
    void scansTypicalNginxServersWithin25Connections(String list) throws Exception {
        String block = list.isEmpty() ? "" : OLD.formatted(list);
        try (NginxServer server = NginxServer.start(folder, identity("RSA-2048"), block)) {
            assertCompleteScan("nginx " + list, URI.create(server.https("/")).getPort());
        }
    }

    @Test
    void reportsTheConnectionLimitAfter25Connections() throws Exception {
        try (NginxServer server =
                NginxServer.start(folder, identity("RSA-2048"), OLD.formatted("ALL:COMPLEMENTOFALL"))) {
            int port = URI.create(server.https("/")).getPort();
            CountingProxy proxy = CountingProxy.before(fixture.vertx(), port);

            CheckResult few = check(proxy.port(), "false", 15_000);

            assertThat(proxy.connections()).isEqualTo(25);
            assertThat(codes(few))
                    .contains("no_encryption", "no_authentication", "static_key_exchange", "connection_limit_reached");
            CheckResult every = check(port, "true", 20_000);
            assertThat(codes(every)).doesNotContain("connection_limit_reached");
            assertThat(codes(few)).containsAll(codes(every));
            assertThat(few.fields().get("versions")).isEqualTo(every.fields().get("versions"));
            assertThat(few.fields().get("alpn")).isEqualTo(every.fields().get("alpn"));
        }
    }

    @Test
    void closedConnectionsAreReportedAsMissingResponses() throws Exception {
        try (OpensslServer server =
                OpensslServer.start(folder, identity("RSA-2048"), "-cipher", "DEFAULT:@SECLEVEL=0")) {
            CountingProxy proxy = CountingProxy.before(fixture.vertx(), server.port(), nth -> nth <= 2);

            CheckResult result = check(proxy.port(), "false", 10_000);

            assertThat(result.fields().get("versions")).isEqualTo(List.of("TLSv1.2", "TLSv1.3"));
            assertThat(result.findings()).anySatisfy(finding -> assertThat(finding.message())
                    .endsWith("TLS versions without a conclusive response: SSLv3, TLSv1, TLSv1.1."));
        }
    }

    private static void assertCompleteScan(String options, int port) {
        CountingProxy proxy = CountingProxy.before(fixture.vertx(), port);

        CheckResult result = check(proxy.port(), "false", 10_000);

        assertThat(proxy.connections()).as(options).isLessThanOrEqualTo(25);
        assertThat(codes(result)).doesNotContain("connection_limit_reached", "scan_incomplete");
        CheckResult every = check(port, "true", 15_000);
        for (String field : List.of(
                "versions",
                "alpn",
                "weak_ciphers",
                "forward_secrecy",
                "key_exchange_groups",
                "server_prefers_order",
                "post_quantum",
                "extended_master_secret",
                "secure_renegotiation",
                "client_renegotiation",
                "early_data",
                "compression",
                "fallback_scsv",
                "session_tickets",
                "key_exchange_hash",
                "dh_bits")) {
            assertThat(result.fields().get(field))
                    .as(field)
                    .isEqualTo(every.fields().get(field));
        }
        assertThat(codes(result)).isEqualTo(codes(every));
        List<?> groups = (List<?>) result.fields().get("key_exchange_groups");
        boolean tls13 = Boolean.TRUE.equals(result.fields().get("tls13"));
        assertThat(groups.stream().map(String::valueOf).toList()).containsAll(tls13 ? GROUPS : GROUPS.subList(0, 5));
    }

    private static CheckResult check(int port, String every, long millis) {
        return fixture.check(
                SheetModule.load(new TlsProtocols()), "127.0.0.1:" + port, Map.of("ciphers", every), millis);
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }

    private static TestCa.Identity identity(String key) {
        return TestCa.selfSigned(CertificateSpec.server("lab.test").key(key));
    }
}
