package dev.plumbline.module.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsScanFixture;
import dev.plumbline.result.CheckResult;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.OpensslServer;
import dev.plumbline.tls.CipherSuite;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares versions, cipher suites and groups with the output of Debian's sslscan and openssl for the same server. */
@Tag("integration")
class SslscanComparisonTest {
    private static final Pattern PROTOCOL =
            Pattern.compile("<protocol type=\"(ssl|tls)\" version=\"([0-9.]+)\" enabled=\"1\"");
    private static final Pattern CIPHER =
            Pattern.compile("<cipher [^>]*sslversion=\"([^\"]+)\"[^>]* id=\"0x([0-9A-F]{4})\"");
    private static final Pattern GROUP = Pattern.compile("<group [^>]*name=\"([A-Za-z0-9]+)");

    private static TlsScanFixture fixture;
    private static Path sslscan;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        sslscan = DebianTool.require("sslscan");
        fixture = TlsScanFixture.start();
    }

    @AfterAll
    static void stop() {
        if (fixture != null) {
            fixture.close();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RSA-2048 -cipher DEFAULT",
                "RSA-2048 -cipher ALL:@SECLEVEL=0",
                "RSA-2048 -tls1_2 -cipher ALL:COMPLEMENTOFALL:@SECLEVEL=0",
                "RSA-2048 -tls1_1 -serverpref -cipher ALL:COMPLEMENTOFALL:@SECLEVEL=0",
                "RSA-2048 -no_tls1_3 -cipher AES:@SECLEVEL=0 -groups P-256:P-384",
                "P-256 -no_tls1_3 -cipher ECDHE -groups X25519:P-256:P-521",
                "P-256 -tls1_3 -ciphersuites TLS_AES_256_GCM_SHA384:TLS_AES_128_CCM_8_SHA256"
            })
    void agreesWithSslscan(String options) throws Exception {
        String[] words = options.split(" ", 2);
        TestCa.Identity identity =
                TestCa.selfSigned(CertificateSpec.server("lab.test").key(words[0]));
        try (OpensslServer server = OpensslServer.start(folder, identity, words[1].split(" "))) {
            String output = scan(server.port());
            CheckResult result = fixture.check(
                    SheetModule.load(new TlsProtocols()),
                    "127.0.0.1:" + server.port(),
                    Map.of("ciphers", "true"),
                    20_000);

            assertThat(strings(result.fields().get("versions"))).containsExactlyElementsOf(versions(output));
            assertThat(ciphers(result)).isEqualTo(ciphers(output));
            Set<String> groups = new TreeSet<>(strings(result.fields().get("key_exchange_groups")));
            groups.removeIf(name -> name.startsWith("dhe-"));
            Set<String> expected = found(GROUP, output, match -> match.group(1));
            if (options.startsWith("P-256 -no_tls1_3")) {
                // sslscan offers one group at a time, which a server cannot use with a key on another curve
                assertThat(groups).containsAll(expected).containsExactly("secp256r1", "secp521r1", "x25519");
            } else {
                assertThat(groups).isEqualTo(expected);
            }
            for (String version : List.of("1", "1_1", "1_2", "1_3")) {
                assertThat(strings(result.fields().get("versions")).contains(title(version)))
                        .as(version)
                        .isEqualTo(opensslConnects(server.port(), version));
            }
        }
    }

    private static String title(String option) {
        return "TLSv" + option.replace('_', '.');
    }

    private static boolean opensslConnects(int port, String version) throws Exception {
        String text = run(
                DebianTool.require("openssl").toString(),
                "s_client",
                "-connect",
                "127.0.0.1:" + port,
                "-tls" + version,
                "-cipher",
                "ALL:COMPLEMENTOFALL:@SECLEVEL=0");
        return text.contains("New, TLS");
    }

    private static String scan(int port) throws Exception {
        return run(sslscan.toString(), "--no-colour", "--no-heartbleed", "--xml=-", "127.0.0.1:" + port);
    }

    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).as(text).isTrue();
        return text;
    }

    private static List<String> versions(String output) {
        return PROTOCOL.matcher(output)
                .results()
                .map(match -> match.group(1).equals("ssl") ? "SSLv3" : "TLSv" + match.group(2))
                .map(title -> title.equals("TLSv1.0") ? "TLSv1" : title)
                .toList();
    }

    private static Set<String> ciphers(String output) {
        return found(
                CIPHER,
                output,
                match -> (match.group(1).equals("TLSv1.0") ? "TLSv1" : match.group(1))
                        + " "
                        + CipherSuite.of(Integer.parseInt(match.group(2), 16)).name());
    }

    private static Set<String> ciphers(CheckResult result) {
        return ((List<?>) result.fields().get("ciphers"))
                .stream()
                        .map(row -> (Map<?, ?>) row)
                        .map(row -> row.get("version") + " " + row.get("name"))
                        .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> found(Pattern pattern, String text, Function<MatchResult, String> what) {
        return pattern.matcher(text).results().map(what).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> strings(Object list) {
        return ((List<?>) list).stream().map(String::valueOf).toList();
    }
}
