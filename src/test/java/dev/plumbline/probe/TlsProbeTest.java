package dev.plumbline.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.Host;
import dev.plumbline.lab.Await;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsLab;
import dev.plumbline.lab.TlsLabFixture;
import dev.plumbline.lab.Tool;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TlsProbeTest {
  private static final int HANDSHAKES = 5;

  private TlsLabFixture fixture;
  @TempDir Path folder;

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
        fixture.tls.handshake(
            fixture.context(Map.of()).withDeadline(5_000), new Host(host, null), port, null));
  }

  @Test
  void runsOnBoringSsl() {
    assertThat(ProbeTls.nativeEngine()).isTrue();
  }

  @Test
  void tellsWhatThePeerShowed() {
    TlsLab.Server server = fixture.lab.server("valid");
    TlsPeer peer = handshake(server.host(), server.port());
    assertThat(peer.certificates()).isEqualTo(fixture.lab.identity("valid").chain());
    assertThat(peer.certificateCount()).isEqualTo(2);
    assertThat(peer.version()).isEqualTo("TLSv1.3");
    assertThat(peer.cipher()).startsWith("TLS_");
    assertThat(peer.address()).isEqualTo(InetAddress.getLoopbackAddress());
    assertThat(peer.failure()).isNull();
    assertThat(peer.connectMillis()).isNotNegative();
  }

  @Test
  void survivesAHundredCertificates() {
    TlsLab.Server server = fixture.lab.server("hundred");
    TlsPeer peer = handshake(server.host(), server.port());
    assertThat(peer.certificates()).hasSize(TlsProbe.MOST_CERTIFICATES);
    assertThat(peer.certificateCount()).isEqualTo(100);
  }

  @Test
  void showsTheCertificateOfAServerThatWantsOneOfOurs() {
    TlsLab.Server server = fixture.lab.server("client-certificate-1.2");
    TlsPeer peer = handshake(server.host(), server.port());
    assertThat(peer.leaf()).isEqualTo(fixture.lab.identity("client-certificate-1.2").certificate());
    assertThat(peer.clientCertificateAsked()).isTrue();
    assertThat(peer.failure()).isNotNull();
  }

  /** A server of openssl's that says of each session whether it is new or resumed. */
  private final class OpensslServer implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;
    final int port;

    OpensslServer(String... versions) throws IOException {
      Path openssl = Tool.require("openssl");
      TestCa.Identity identity =
          TestCa.selfSigned(CertificateSpec.server("openssl." + TlsLab.DOMAIN));
      Path certificate = Files.writeString(folder.resolve("certificate.pem"), identity.pem());
      Path key = Files.writeString(folder.resolve("key.pem"), identity.keyPem());
      fixture.dns.forget("openssl." + TlsLab.DOMAIN);
      fixture.dns.address("openssl." + TlsLab.DOMAIN, "127.0.0.1");
      try (ServerSocket free = new ServerSocket(0)) {
        port = free.getLocalPort();
      }
      ProcessBuilder builder =
          new ProcessBuilder(
              openssl.toString(),
              "s_server",
              "-accept",
              "127.0.0.1:" + port,
              "-cert",
              certificate.toString(),
              "-key",
              key.toString(),
              "-www");
      builder.command().addAll(List.of(versions));
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

  private HttpClient httpClient() {
    HttpClientOptions options = new HttpClientOptions().setSsl(true).setKeepAlive(false);
    options.setSslEngineOptions(ProbeTls.engineOptions());
    return fixture.vertx.createHttpClient(options);
  }

  /**
   * The page of openssl's server says "New" or "Reused", and counts what its cache was used for.
   */
  private String page(HttpClient client, int port) {
    RequestOptions request =
        new RequestOptions()
            .setMethod(HttpMethod.GET)
            .setServer(SocketAddress.inetSocketAddress(port, "127.0.0.1"))
            .setHost("openssl." + TlsLab.DOMAIN)
            .setPort(port)
            .setURI("/")
            .setSslOptions(ProbeTls.clientOptions(List.of()));
    return Await.value(
        client
            .request(request)
            .compose(sent -> sent.send())
            .compose(answer -> answer.body())
            .map(body -> body.toString(StandardCharsets.UTF_8)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-tls1_2", "-tls1_3"})
  void neverResumesASession(String version) throws Exception {
    try (OpensslServer server = new OpensslServer(version)) {
      for (int i = 0; i < HANDSHAKES; i++) {
        assertThat(handshake("openssl." + TlsLab.DOMAIN, server.port).certificates()).hasSize(1);
      }
      HttpClient client = httpClient();
      for (int i = 0; i < HANDSHAKES; i++) {
        assertThat(page(client, server.port)).contains("New, ").doesNotContain("Reused, ");
      }
      // The counters include the handshakes of the probe.
      assertThat(page(client, server.port)).containsPattern(" 0 cache hits|0 session cache hits");
      Await.value(client.close());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"-tls1_2", "-tls1_3"})
  void neverResumesASessionWithTheJdkEither(String version) throws Exception {
    try (OpensslServer server = new OpensslServer(version)) {
      NetClient client = fixture.vertx.createNetClient(new NetClientOptions());
      TlsHandshake handshake = TlsHandshake.ofTheJdk(fixture.vertx);
      for (int i = 0; i < HANDSHAKES; i++) {
        NetSocket socket = Await.value(client.connect(server.port, "127.0.0.1"));
        TlsPeer peer =
            Await.value(
                handshake.with(
                    socket,
                    "openssl." + TlsLab.DOMAIN,
                    InetAddress.getLoopbackAddress(),
                    0,
                    5_000));
        assertThat(peer.certificates()).hasSize(1);
        Await.value(socket.close());
      }
      assertThat(page(httpClient(), server.port))
          .containsPattern(" 0 cache hits|0 session cache hits");
      Await.value(client.close());
    }
  }

  @Test
  void sendsTheNameWithTheJdkToo() throws Exception {
    TlsLab.Server server = fixture.lab.server("one");
    NetClient client = fixture.vertx.createNetClient(new NetClientOptions());
    NetSocket socket = Await.value(client.connect(server.port(), "127.0.0.1"));
    TlsPeer peer =
        Await.value(
            TlsHandshake.ofTheJdk(fixture.vertx)
                .with(socket, server.host(), InetAddress.getLoopbackAddress(), 0, 5_000));
    assertThat(peer.leaf().getSubjectX500Principal().getName()).contains(server.host());
    Await.value(client.close());
  }

  @Test
  void sharesItsOptions() {
    assertThat(ProbeTls.engineOptions())
        .isEqualTo(ProbeTls.engineOptions().copy())
        .hasSameHashCodeAs(ProbeTls.engineOptions());
    assertThat(new HttpClientOptions().setSslEngineOptions(ProbeTls.engineOptions()))
        .extracting(HttpClientOptions::getSslEngineOptions)
        .isEqualTo(ProbeTls.engineOptions());
  }
}
