package dev.plumbline.probe.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsLab;
import dev.plumbline.lab.TlsLabFixture;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.support.Await;
import dev.plumbline.support.GoServer;
import dev.plumbline.support.OpensslServer;
import dev.plumbline.target.Host;
import dev.plumbline.target.Target;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Post-quantum key exchange with Go's TLS server. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PostQuantumTest {
    private static final String HOST = "go." + TlsLab.DOMAIN;

    private TlsLabFixture fixture;
    private TestCa.Identity identity;

    @BeforeAll
    void start() {
        fixture = new TlsLabFixture();
        identity = fixture.lab.issuer().issue(CertificateSpec.server(HOST));
        fixture.dns.address(HOST, "127.0.0.1");
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    private static List<String> keyExchange(Evaluation evaluation) {
        assertThat(evaluation.error()).isNull();
        return evaluation.findings().stream()
                .filter(finding -> finding.code().endsWith("key_exchange"))
                .map(Finding::message)
                .toList();
    }

    private HttpExchange get(int port) {
        HttpRequestSpec call = HttpRequestSpec.get(new Target.Url("https", new Host(HOST, null), port, "/"), 1_000);
        return Await.value(fixture.http.exchange(fixture.context(Map.of()), call));
    }

    @Test
    void connectsToAServerThatRequiresIt(@TempDir Path folder) throws Exception {
        try (GoServer server = GoServer.start(folder, identity, true)) {
            assertThat(keyExchange(fixture.evaluate(HOST + ":" + server.port(), Map.of())))
                    .containsExactly("The key exchange used the post-quantum group X25519MLKEM768.");
            assertThat(get(server.port()).body().text(null)).isEqualTo("post-quantum");
        }
    }

    @Test
    void usesItIfTheServerSupportsIt(@TempDir Path folder) throws Exception {
        try (GoServer server = GoServer.start(folder, identity, false)) {
            assertThat(keyExchange(fixture.evaluate(HOST + ":" + server.port(), Map.of())))
                    .containsExactly("The key exchange used the post-quantum group X25519MLKEM768.");
            assertThat(get(server.port()).status()).isEqualTo(200);
        }
    }

    @Test
    void reportsTheClassicalGroupOfOpenssl(@TempDir Path folder) throws Exception {
        try (OpensslServer server = OpensslServer.start(folder, identity, "-tls1_3", "-groups", "P-256:X25519")) {
            Evaluation evaluation = fixture.evaluate(HOST + ":" + server.port(), Map.of());
            assertThat(keyExchange(evaluation))
                    .containsExactly("The key exchange used the group x25519, although the post-quantum group"
                            + " X25519MLKEM768 was offered.");
        }
    }

    @Test
    void reportsNoGroupBeforeTls13() {
        TlsLab.Server server = fixture.lab.server("tls-1.2");
        assertThat(keyExchange(fixture.evaluate(server.host() + ":" + server.port(), Map.of())))
                .isEmpty();
    }
}
