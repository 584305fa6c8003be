package dev.plumbline.probe.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsLab;
import dev.plumbline.lab.TlsLabFixture;
import dev.plumbline.lab.TlsServers;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import dev.plumbline.support.DamagingProxy;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Host;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TlsProbeTest {
    private static final int HANDSHAKES = 5;

    private TlsLabFixture fixture;

    @TempDir
    Path folder;

    @BeforeAll
    void start() {
        fixture = new TlsLabFixture();
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    private TlsPeer handshake(String host, int port) {
        return Await.value(
                fixture.tls.handshake(fixture.context(Map.of()).withDeadline(5_000), new Host(host, null), port, null));
    }

    @Test
    void runsOnBoringSsl() {
        assertThat(TlsClientOptions.nativeEngine()).isTrue();
    }

    @Test
    void reportsTheHandshake() {
        TlsLab.Server server = fixture.lab.server("valid");
        TlsPeer peer = handshake(server.host(), server.port());
        assertThat(peer.certificates()).isEqualTo(fixture.lab.identity("valid").chain());
        assertThat(peer.certificateCount()).isEqualTo(2);
        assertThat(peer.version()).isEqualTo("TLSv1.3");
        assertThat(peer.cipher()).startsWith("TLS_");
        assertThat(peer.address()).isEqualTo(InetAddress.getLoopbackAddress());
        assertThat(peer.failure()).isNull();
    }

    @Test
    void readsAllCertificatesOfALongChain() {
        TlsLab.Server server = fixture.lab.server("hundred");
        TlsPeer peer = handshake(server.host(), server.port());
        assertThat(peer.certificates())
                .isEqualTo(fixture.lab.identity("hundred").chain());
        assertThat(peer.certificateCount()).isEqualTo(100);
    }

    @Test
    void limitsTheBytesOfCertificates() throws Exception {
        TestCa.Identity identity = fixture.lab.identity("valid");
        X509Certificate certificate = identity.certificate();
        X509Certificate[] chain = Collections.nCopies(400, certificate).toArray(new X509Certificate[0]);
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(identity.withChain(chain), TlsServers.ServerOptions.DEFAULT);
            TlsPeer peer = handshake(fixture.lab.server("valid").host(), port);
            assertThat(peer.certificates()).hasSize(100 * 1024 / certificate.getEncoded().length);
            assertThat(peer.certificateCount()).isEqualTo(400);
        }
    }

    @Test
    void readsACertificateThatTheJdkRejects() {
        TlsLab.Server server = fixture.lab.server("empty-subject");
        TlsPeer peer = handshake(server.host(), server.port());
        assertThat(peer.certificates())
                .isEqualTo(fixture.lab.identity("empty-subject").chain());
    }

    @Test
    void reportsTheCertificateOfAServerThatRequiresClientCertificates() {
        TlsLab.Server server = fixture.lab.server("client-certificate-1.2");
        TlsPeer peer = handshake(server.host(), server.port());
        assertThat(peer.certificates().get(0))
                .isEqualTo(fixture.lab.identity("client-certificate-1.2").certificate());
        assertThat(peer.clientCertificateRequested()).isTrue();
        assertThat(peer.failure()).isNotNull();
    }

    /** An {@code openssl s_server} that reports for each session whether it is new or resumed. */
    private final class ResumptionServer implements AutoCloseable {
        private final Process process;
        private final BufferedReader output;
        final int port;

        ResumptionServer(String key, String version) throws IOException {
            Path openssl = DebianTool.require("openssl");
            TestCa.Identity identity = TestCa.selfSigned(
                    CertificateSpec.server("openssl." + TlsLab.DOMAIN).key(key));
            Path certificate = Files.writeString(folder.resolve("certificate.pem"), identity.pem());
            Path keyFile = Files.writeString(folder.resolve("key.pem"), identity.keyPem());
            fixture.dns.removeRecords("openssl." + TlsLab.DOMAIN);
            fixture.dns.address("openssl." + TlsLab.DOMAIN, "127.0.0.1");
            port = FreePorts.next();
            ProcessBuilder builder = new ProcessBuilder(
                    openssl.toString(),
                    "s_server",
                    "-accept",
                    "127.0.0.1:" + port,
                    "-cert",
                    certificate.toString(),
                    "-key",
                    keyFile.toString(),
                    "-www",
                    version);
            process = builder.redirectErrorStream(true).start();
            output = process.inputReader(StandardCharsets.UTF_8);
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.contains("ACCEPT")) {
                    return;
                }
            }
            throw new IOException("openssl did not start");
        }

        @Override
        public void close() throws InterruptedException {
            process.destroyForcibly();
            process.waitFor(10, TimeUnit.SECONDS);
        }
    }

    /** The status page of {@code openssl s_server} contains "New" or "Reused" and session cache counters. */
    private String page(int port) {
        String host = "openssl." + TlsLab.DOMAIN;
        HttpRequestSpec call = HttpRequestSpec.get(new Target.Url("https", new Host(host, null), port, "/"), 64 * 1024)
                .verifyingTls(false);
        HttpExchange exchange =
                Await.value(fixture.http.exchange(fixture.context(Map.of()).withDeadline(5_000), call));
        // s_server waits for the client's close, so the body is incomplete
        assertThat(exchange.bodyError()).isNull();
        return exchange.body().text(null);
    }

    /** BoringSSL does not support Ed25519 certificates, so the JDK engine is used. */
    @Tag("integration")
    @ParameterizedTest
    @CsvSource({"-tls1_2, P-256", "-tls1_3, P-256", "-tls1_2, Ed25519", "-tls1_3, Ed25519"})
    void doesNotResumeSessions(String version, String key) throws Exception {
        try (ResumptionServer server = new ResumptionServer(key, version)) {
            for (int i = 0; i < HANDSHAKES; i++) {
                assertThat(handshake("openssl." + TlsLab.DOMAIN, server.port).certificates())
                        .hasSize(1);
            }
            for (int i = 0; i < HANDSHAKES; i++) {
                assertThat(page(server.port)).contains("New, ").doesNotContain("Reused, ");
            }
            // The counters include the handshakes of the other probe.
            assertThat(page(server.port)).containsPattern(" 0 cache hits|0 session cache hits");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ed25519", "empty-subject"})
    void trustsCertificatesThatOneLibraryRejects(String name) {
        TlsLab.Server server = fixture.lab.server(name);
        HttpRequestSpec call =
                HttpRequestSpec.get(new Target.Url("https", new Host(server.host(), null), server.port(), "/"), 1_000);
        assertThat(Await.value(fixture.http.exchange(fixture.context(Map.of()), call))
                        .status())
                .isEqualTo(200);
    }

    /** The first handshake is that of BoringSSL, which the server rejects with an encrypted alert. */
    @Test
    void repeatsAHandshakeWhoseKeysTheJdkDerivedWrongly() {
        TlsLab.Server server = fixture.lab.server("ed25519");
        DamagingProxy proxy = DamagingProxy.before(fixture.vertx, server.port(), nth -> nth == 2);

        TlsPeer peer = handshake(server.host(), proxy.port());

        assertThat(peer.failure()).isNull();
        assertThat(peer.version()).isEqualTo("TLSv1.3");
        assertThat(proxy.connections()).isEqualTo(3);
    }

    /** The second handshake is that of BoringSSL with post-quantum key exchange. */
    @Test
    void repeatsTheHandshakeOfARequest() {
        TlsLab.Server server = fixture.lab.server("ed25519");
        DamagingProxy proxy = DamagingProxy.before(fixture.vertx, server.port(), nth -> nth == 3);
        HttpRequestSpec call =
                HttpRequestSpec.get(new Target.Url("https", new Host(server.host(), null), proxy.port(), "/"), 1_000);

        assertThat(Await.value(fixture.http.exchange(fixture.context(Map.of()), call))
                        .status())
                .isEqualTo(200);
        assertThat(proxy.connections()).isEqualTo(4);
    }

    @Test
    void repeatsAHandshakeOnlyOnce() {
        TlsLab.Server server = fixture.lab.server("ed25519");
        DamagingProxy proxy = DamagingProxy.before(fixture.vertx, server.port(), nth -> nth >= 2);

        TlsPeer peer = handshake(server.host(), proxy.port());

        assertThat(peer.failure()).isNotNull();
        // the last one reads the certificate without a handshake
        assertThat(proxy.connections()).isEqualTo(4);
    }

    @Test
    void sendsTheServerNameWithTheJdkEngine() throws Exception {
        TlsLab.Server server = fixture.lab.server("one");
        NetClient client = fixture.vertx.createNetClient(new NetClientOptions());
        NetSocket socket = Await.value(client.connect(server.port(), "127.0.0.1"));
        TlsPeer peer = Await.value(TlsHandshake.jdk(fixture.vertx, List.of())
                .start(TestCheckContext.create(), socket, server.host(), InetAddress.getLoopbackAddress(), 5_000));
        assertThat(peer.certificates().get(0).getSubjectX500Principal().getName())
                .contains(server.host());
        Await.value(client.close());
    }

    /** The parsed names use more memory than the certificate. */
    @Test
    void reservesMemoryForTheNamesOfACertificate() throws Exception {
        CertificateSpec spec = CertificateSpec.server("many.test").names(20_000);
        TestCa.Identity identity = TestCa.root("Names").issue(spec);
        HttpServer server = Await.value(fixture.vertx
                .createHttpServer(new HttpServerOptions()
                        .setHost("127.0.0.1")
                        .setPort(0)
                        .setSsl(true)
                        // the JDK cannot create session tickets for the large certificate
                        .setSslEngineOptions(new OpenSSLEngineOptions())
                        .setKeyCertOptions(new PemKeyCertOptions()
                                .setCertValue(Buffer.buffer(TestCa.pem(identity.certificate())))
                                .setKeyValue(Buffer.buffer(identity.keyPem()))))
                .requestHandler(request -> {})
                .listen());
        fixture.dns.address("many.test", "127.0.0.1");
        MemoryBudget budget = new MemoryBudget(fixture.vertx, MemoryBudget.CHECK_BYTES, 1);
        try {
            try (MemoryHolder enough = budget.open("a", MemoryBudget.CHECK_BYTES)) {
                TlsPeer peer = Await.value(handshake(server, enough));
                assertThat(peer.certificates().get(0).getSubjectAlternativeNames())
                        .hasSizeGreaterThan(20_000);
                assertThat(budget.held()).isGreaterThan(3L << 20);
            }
            assertThat(budget.held()).isZero();

            try (MemoryHolder small = budget.open("a", 1L << 20)) {
                assertThat(Await.failure(handshake(server, small)))
                        .matches(failure -> CheckFailure.hasCode(failure, ErrorCode.RESPONSE_TOO_LARGE));
            }
            assertThat(budget.held()).isZero();
        } finally {
            Await.value(server.close());
        }
    }

    private Future<TlsPeer> handshake(HttpServer server, MemoryHolder memory) {
        return fixture.tls.handshake(
                fixture.context(Map.of()).withDeadline(20_000).withMemory(memory),
                new Host("many.test", null),
                server.actualPort(),
                null);
    }
}
