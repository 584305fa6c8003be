package dev.plumbline.module.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.Judgement;
import dev.plumbline.lab.TlsLab;
import dev.plumbline.lab.TlsLabFixture;
import dev.plumbline.lab.Tool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What we report is what openssl reports of the same server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpensslComparisonTest {
  private static final DateTimeFormatter OPENSSL_DATE =
      DateTimeFormatter.ofPattern("MMM d HH:mm:ss yyyy 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private TlsLabFixture fixture;
  private Path openssl;
  private Path root;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException {
    openssl = Tool.require("openssl");
    fixture = new TlsLabFixture();
    root = Files.writeString(folder.resolve("root.pem"), fixture.lab.rootPem());
  }

  @AfterAll
  void stop() {
    fixture.close();
  }

  /** All but those that openssl's default security level will not talk to. */
  Stream<TlsLab.Server> comparable() {
    return fixture.lab.servers().stream()
        .filter(server -> server.error().isEmpty())
        .filter(server -> !server.name().equals("three-as-one"));
  }

  private String run(String input, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(openssl.toString()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (var to = process.getOutputStream()) {
      to.write(input.getBytes(StandardCharsets.US_ASCII));
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    return output;
  }

  private static String find(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern, Pattern.MULTILINE).matcher(text);
    assertThat(matcher.find()).as(pattern + " in " + text).isTrue();
    return matcher.group(1);
  }

  @ParameterizedTest
  @MethodSource("comparable")
  void agreesWithOpenssl(TlsLab.Server server) throws Exception {
    boolean literal = server.host().startsWith("127.");
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "s_client",
                "-connect",
                "127.0.0.1:" + server.port(),
                "-CAfile",
                root.toString(),
                "-no-CApath",
                "-no-CAstore",
                "-purpose",
                "sslserver",
                "-cipher",
                "ALL:@SECLEVEL=0",
                literal ? "-verify_ip" : "-verify_hostname",
                server.host()));
    arguments.addAll(literal ? List.of("-noservername") : List.of("-servername", server.host()));
    String seen = run("", arguments.toArray(new String[0]));
    String certificate =
        seen.substring(
            seen.indexOf("-----BEGIN CERTIFICATE-----"),
            seen.indexOf("-----END CERTIFICATE-----") + 26);
    String facts =
        run(
            certificate,
            "x509",
            "-noout",
            "-serial",
            "-dates",
            "-fingerprint",
            "-sha256",
            "-subject",
            "-nameopt",
            "RFC2253",
            "-text");
    Judgement judgement = fixture.judge(server.name());
    Map<String, Object> fields = judgement.fields();
    assertThat(fields.get("serial")).isEqualTo(find(facts, "^serial=(.*)$"));
    assertThat(fields.get("sha256"))
        .isEqualTo(
            find(facts, "^sha256 Fingerprint=(.*)$").replace(":", "").toLowerCase(Locale.ROOT));
    assertThat(fields.get("not_before")).isEqualTo(date(find(facts, "^notBefore=(.*)$")));
    assertThat(fields.get("not_after")).isEqualTo(date(find(facts, "^notAfter=(.*)$")));
    assertThat(((Map<?, ?>) ((List<?>) fields.get("chain")).get(0)).get("subject"))
        .isEqualTo(find(facts, "^subject=(.*)$"));
    assertThat(fields.get("signature_algorithm"))
        .isEqualTo(find(facts, "Signature Algorithm: (.*)$"));
    assertThat(fields.get("tls_version"))
        .isEqualTo(find(seen, "^(?:New|Reused), (TLSv[0-9.]+)").replace("TLSv1.0", "TLSv1"));
    assertThat(String.valueOf(fields.get("key_bits")))
        .isEqualTo(find(seen, "Server public key is ([0-9]+) bit"));
    long code = Long.parseLong(find(seen, "Verify return code: ([0-9]+)"));
    assertThat(code).as(seen).isIn(codes(server.problem(), server.name()));
  }

  /** The X509_V_ERR_* codes that openssl gives for a problem. */
  private static List<Long> codes(String problem, String name) {
    return switch (name) {
      // openssl falls back to the common name, which RFC 9525 forbids.
      case "cn-only" -> List.of(0L);
      // openssl gives up at the first issuer that fits by name, browsers try the other one.
      case "cross-signed" -> List.of(19L);
      case "same-names" -> List.of(7L, 19L, 20L, 21L);
      case "unknown-root" -> List.of(19L);
      default ->
          switch (problem) {
            case "expired" -> List.of(10L);
            case "not_yet_valid" -> List.of(9L);
            case "hostname_mismatch" -> List.of(62L);
            case "self_signed" -> List.of(18L);
            case "incomplete_chain" -> List.of(20L, 21L);
            case "untrusted_root" -> List.of(24L, 25L, 26L, 32L, 47L, 79L);
            default -> List.of(0L);
          };
    };
  }

  private static Instant date(String text) {
    return OPENSSL_DATE.parse(text.replaceAll(" +", " "), Instant::from);
  }
}
