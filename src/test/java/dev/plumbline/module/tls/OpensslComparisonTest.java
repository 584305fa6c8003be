package dev.plumbline.module.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.TlsLab;
import dev.plumbline.lab.TlsLabFixture;
import dev.plumbline.result.Evaluation;
import dev.plumbline.support.DebianTool;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares certificate fields, expiry and problem with the output of openssl for the same server. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpensslComparisonTest {
    private static final DateTimeFormatter OPENSSL_DATE = DateTimeFormatter.ofPattern(
                    "MMM d HH:mm:ss yyyy 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private static final Pattern PEM =
            Pattern.compile("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", Pattern.DOTALL);

    private static final long SECONDS_PER_DAY = 86_400;

    private TlsLabFixture fixture;
    private Path openssl;
    private Path root;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        openssl = DebianTool.require("openssl");
        fixture = new TlsLabFixture();
        root = Files.writeString(folder.resolve("root.pem"), fixture.lab.rootPem());
    }

    @AfterAll
    void stop() {
        if (fixture != null) {
            fixture.close();
        }
    }

    /** The servers with which openssl completes a handshake. */
    Stream<TlsLab.Server> comparableServers() {
        return fixture.lab.servers().stream()
                .filter(server -> server.error().isEmpty())
                .filter(server -> !server.name().equals("three-as-one"));
    }

    private record Output(byte[] bytes, int status) {
        String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    private Output run(byte[] input, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(openssl.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var to = process.getOutputStream()) {
            to.write(input);
        }
        byte[] output = process.getInputStream().readAllBytes();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return new Output(output, process.exitValue());
    }

    private String run(String input, String... arguments) throws Exception {
        return run(input.getBytes(StandardCharsets.US_ASCII), arguments).text();
    }

    private static String find(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern, Pattern.MULTILINE).matcher(text);
        assertThat(matcher.find()).as(pattern + " in " + text).isTrue();
        return matcher.group(1);
    }

    /**
     * The result of {@code openssl s_client}.
     *
     * @param certificates in PEM, in the order in which they were sent
     */
    private record OpensslSession(String session, List<String> certificates) {
        String leaf() {
            return certificates.get(0);
        }
    }

    private OpensslSession connect(TlsLab.Server server) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "s_client", "-connect", "127.0.0.1:" + server.port(), "-showcerts", "-cipher", "ALL:@SECLEVEL=0"));
        arguments.addAll(trust(server));
        arguments.addAll(literal(server) ? List.of("-noservername") : List.of("-servername", server.host()));
        String session = run("", arguments.toArray(new String[0]));
        List<String> certificates = PEM.matcher(session)
                .results()
                .map(found -> found.group() + "\n")
                .toList();
        assertThat(certificates).as(session).isNotEmpty();
        return new OpensslSession(session, certificates);
    }

    private List<String> trust(TlsLab.Server server) {
        return List.of(
                "-CAfile",
                root.toString(),
                "-no-CApath",
                "-no-CAstore",
                "-purpose",
                "sslserver",
                literal(server) ? "-verify_ip" : "-verify_hostname",
                server.host());
    }

    private static boolean literal(TlsLab.Server server) {
        return server.host().startsWith("127.");
    }

    @ParameterizedTest
    @MethodSource("comparableServers")
    void certificateFieldsMatchOpenssl(TlsLab.Server server) throws Exception {
        OpensslSession openssl = connect(server);
        String seen = openssl.session();
        String certificate = openssl.leaf();
        String text = run(
                certificate,
                "x509",
                "-noout",
                "-serial",
                "-dates",
                "-fingerprint",
                "-sha256",
                "-subject",
                "-issuer",
                "-nameopt",
                "RFC2253",
                "-text");
        Evaluation evaluation = fixture.evaluate(server.name());
        Map<String, Object> fields = evaluation.fields();
        assertThat(fields.get("serial")).isEqualTo(find(text, "^serial=(.*)$"));
        assertThat(fields.get("sha256"))
                .isEqualTo(
                        find(text, "^sha256 Fingerprint=(.*)$").replace(":", "").toLowerCase(Locale.ROOT));
        assertThat(fields.get("not_before")).isEqualTo(date(find(text, "^notBefore=(.*)$")));
        assertThat(fields.get("not_after")).isEqualTo(date(find(text, "^notAfter=(.*)$")));
        List<?> chain = (List<?>) fields.get("chain");
        assertThat(chain).hasSameSizeAs(openssl.certificates());
        Map<?, ?> leaf = (Map<?, ?>) chain.get(0);
        assertThat(leaf.get("subject")).isEqualTo(find(text, "^subject=(.*)$"));
        assertThat(leaf.get("issuer")).isEqualTo(find(text, "^issuer=(.*)$"));
        assertThat(fields.get("issuer_cn")).isEqualTo(find(text, "^issuer=.*CN=([^,\n]*)"));
        assertThat(fields.get("sans")).isEqualTo(alternativeNames(certificate));
        assertThat(fields.get("spki_sha256")).isEqualTo(hashOfKey(certificate));
        assertThat(fields.get("signature_algorithm")).isEqualTo(find(text, "Signature Algorithm: (.*)$"));
        assertThat(fields.get("tls_version"))
                .isEqualTo(find(seen, "^(?:New|Reused), (TLSv[0-9.]+)").replace("TLSv1.0", "TLSv1"));
        assertThat(String.valueOf(fields.get("key_bits"))).isEqualTo(find(seen, "Server public key is ([0-9]+) bit"));
    }

    private List<String> alternativeNames(String certificate) throws Exception {
        String extension = run(certificate, "x509", "-noout", "-ext", "subjectAltName");
        return Pattern.compile("(?:DNS|IP Address):([^,\\s]+)")
                .matcher(extension)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private String hashOfKey(String certificate) throws Exception {
        String key = run(certificate, "x509", "-noout", "-pubkey");
        byte[] der = run(key.getBytes(StandardCharsets.US_ASCII), "pkey", "-pubin", "-outform", "DER")
                .bytes();
        return find(run(der, "dgst", "-sha256", "-r").text(), "^([0-9a-f]{64}) ");
    }

    @ParameterizedTest
    @MethodSource("comparableServers")
    void expiryMatchesOpenssl(TlsLab.Server server) throws Exception {
        byte[] certificate = connect(server).leaf().getBytes(StandardCharsets.US_ASCII);
        long days = (Long) fixture.evaluate(server.name()).fields().get("days_remaining");

        // openssl runs later, and the lab has just issued certificates that expire in whole days
        assertThat(checkEnd(certificate, days * SECONDS_PER_DAY - 60)).isZero();
        assertThat(checkEnd(certificate, (days + 1) * SECONDS_PER_DAY)).isEqualTo(1);
    }

    /** 0 if the certificate is still valid after a number of seconds, otherwise 1. */
    private int checkEnd(byte[] certificate, long seconds) throws Exception {
        return run(certificate, "x509", "-noout", "-checkend", String.valueOf(seconds))
                .status();
    }

    @ParameterizedTest
    @MethodSource("comparableServers")
    void problemMatchesOpensslVerification(TlsLab.Server server, @TempDir Path folder) throws Exception {
        OpensslSession seen = connect(server);
        Path leaf = Files.writeString(folder.resolve("leaf.pem"), seen.leaf());
        Path sent = Files.writeString(folder.resolve("sent.pem"), String.join("", seen.certificates()));
        List<String> arguments = new ArrayList<>(List.of("verify", "-auth_level", "2", "-untrusted", sent.toString()));
        arguments.addAll(trust(server));
        arguments.add(leaf.toString());
        Output verified = run(new byte[0], arguments.toArray(new String[0]));
        long code = verified.status() == 0 ? 0 : Long.parseLong(find(verified.text(), "error ([0-9]+) at"));
        Object problem = fixture.evaluate(server.name()).fields().get("problem");

        assertThat(code).as(problem + ": " + verified.text()).isIn(codes(String.valueOf(problem), server.name()));
        // openssl s_client verifies the chain during the handshake
        if (!String.valueOf(problem).startsWith("weak_")) {
            assertThat(Long.parseLong(find(seen.session(), "Verify return code: ([0-9]+)")))
                    .isIn(codes(String.valueOf(problem), server.name()));
        }
    }

    /** The X509_V_ERR_* codes that openssl returns for a problem. */
    private static List<Long> codes(String problem, String name) {
        return switch (name) {
            // openssl uses the common name as a fallback, which RFC 9525 does not permit
            case "cn-only" -> List.of(0L);
            // openssl stops at the first issuer whose name matches; browsers try the other one
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
                    case "weak_key" -> List.of(66L, 67L);
                    case "weak_signature" -> List.of(68L);
                    case "untrusted_root" -> List.of(24L, 25L, 26L, 32L, 47L, 79L);
                    default -> List.of(0L);
                };
        };
    }

    private static Instant date(String text) {
        return OPENSSL_DATE.parse(text.replaceAll(" +", " "), Instant::from);
    }
}
