package dev.plumbline.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.Await;
import dev.plumbline.lab.HttpBench;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.Tool;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What curl says of the same pages of the lab and of Debian's nginx. */
class HttpAgainstCurlTest {
  private static final String SUMMARY =
      "%{http_code} %{num_redirects} %{http_version} %{content_type} %{url_effective}";

  private static HttpBench bench;
  private static HttpProbe probe;
  private static Path curl;
  private static Process nginx;
  private static int plainPort;
  private static int tlsPort;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    curl = Tool.require("curl");
    Path program = Tool.require("nginx");
    bench = HttpBench.start();
    probe = bench.probe(HttpBench.policy(List.of("127.0.0.0/8"), List.of("*")));
    TestCa.Identity identity = bench.identity();
    Files.writeString(
        folder.resolve("chain.pem"), TestCa.pem(identity.chain().toArray(new X509Certificate[0])));
    Files.writeString(folder.resolve("key.pem"), identity.keyPem());
    plainPort = bench.closedPort();
    tlsPort = otherPort(plainPort);
    Path configuration = folder.resolve("nginx.conf");
    Files.writeString(configuration, configuration(folder));
    File log = folder.resolve("log").toFile();
    nginx =
        new ProcessBuilder(
                program.toString(), "-p", folder.toString(), "-c", configuration.toString())
            .redirectErrorStream(true)
            .redirectOutput(log)
            .start();
    awaitListening(log);
  }

  @AfterAll
  static void stop() throws InterruptedException {
    if (nginx != null) {
      nginx.destroy();
      nginx.waitFor(10, TimeUnit.SECONDS);
    }
    if (bench != null) {
      bench.close();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/ok",
        "/page",
        "/status/204",
        "/status/404",
        "/status/418",
        "/status/503",
        "/chunked",
        "/until-closed",
        "/no-reason",
        "/bare-line-feeds",
        "/early-hints",
        "/length/long",
        "/head/404",
        "/redirect/301",
        "/redirect/302",
        "/redirect/303",
        "/redirect/307",
        "/redirect/308",
        "/redirect/deep/relative",
        "/redirect/dots",
        "/redirect/scheme-relative",
        "/redirect/absolute",
        "/redirect/two-locations",
        "/redirect/no-location",
        "/redirect/empty-location",
        "/redirect/chain/7",
        "/refresh"
      })
  void agreesOnTheLab(String path) throws Exception {
    for (HttpCall.Method method : List.of(HttpCall.Method.HEAD, HttpCall.Method.GET)) {
      agrees(bench.lab().http(path), method);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "http, /",
    "http, /missing",
    "http, /moved",
    "http, /forbidden",
    "http, /to-https",
    "https, /",
    "https, /missing",
    "https, /moved"
  })
  void agreesOnNginx(String scheme, String path) throws Exception {
    for (HttpCall.Method method : List.of(HttpCall.Method.HEAD, HttpCall.Method.GET)) {
      agrees(
          scheme + "://127.0.0.1:" + (scheme.equals("http") ? plainPort : tlsPort) + path, method);
    }
  }

  private static void agrees(String url, HttpCall.Method method) throws Exception {
    HttpCall call =
        method == HttpCall.Method.HEAD
            ? HttpCall.head(bench.url(url))
            : HttpCall.get(bench.url(url), 100_000);

    HttpJourney journey = Await.value(probe.follow(TestContext.create(), call, 10));

    assertThat(journey.error()).isNull();
    HttpExchange last = journey.last();
    assertThat(last).isNotNull();
    String type = last.headers().first("content-type");
    assertThat(
            "%d %d %s %s %s"
                .formatted(
                    last.status(),
                    journey.hops().size() - 1,
                    last.version().equals("1.0") ? "1" : last.version(),
                    type == null ? "" : type,
                    journey.url().text()))
        .isEqualTo(curl(url, method));
  }

  private static String curl(String url, HttpCall.Method method) throws Exception {
    List<String> command =
        List.of(
            curl.toString(),
            "--silent",
            "--insecure",
            "--location",
            "--max-redirs",
            "10",
            "--noproxy",
            "*",
            "--output",
            "/dev/null",
            "--write-out",
            SUMMARY,
            method == HttpCall.Method.HEAD ? "--head" : "--get",
            url);
    Process process = new ProcessBuilder(command).start();
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  private static int otherPort(int taken) throws IOException {
    int port = bench.closedPort();
    return port == taken ? otherPort(taken) : port;
  }

  private static String configuration(Path folder) throws IOException {
    return """
        daemon off;
        master_process off;
        pid %1$s/pid;
        error_log stderr;
        events { worker_connections 64; }
        http {
          access_log off;
          client_body_temp_path %1$s;
          proxy_temp_path %1$s;
          fastcgi_temp_path %1$s;
          uwsgi_temp_path %1$s;
          scgi_temp_path %1$s;
          absolute_redirect off;
          default_type text/plain;
          server {
            listen 127.0.0.1:%2$d;
            listen 127.0.0.1:%3$d ssl http2;
            ssl_certificate %1$s/chain.pem;
            ssl_certificate_key %1$s/key.pem;
            location = / { return 200 "nginx"; }
            location = /moved { return 301 /; }
            location = /forbidden { return 403; }
            location = /to-https { return 308 https://127.0.0.1:%3$d/; }
            location / { return 404; }
          }
        }
        """
        .formatted(folder, plainPort, tlsPort);
  }

  private static void awaitListening(File log) throws IOException {
    for (int i = 0; i < 200; i++) {
      try (java.net.Socket socket =
          new java.net.Socket(InetAddress.getByName("127.0.0.1"), tlsPort)) {
        assertThat(socket.isConnected()).isTrue();
        return;
      } catch (java.net.ConnectException notYet) {
        java.util.concurrent.locks.LockSupport.parkNanos(50_000_000);
      }
    }
    throw new AssertionError("nginx did not start: " + Files.readString(log.toPath()));
  }
}
