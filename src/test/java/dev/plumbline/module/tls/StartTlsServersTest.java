package dev.plumbline.module.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.ModuleExecution;
import dev.plumbline.lab.StartTlsLab;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsLabFixture;
import dev.plumbline.probe.starttls.StartTlsProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.StartTlsServer;
import dev.plumbline.support.StartTlsServer.StartTlsService;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.tls.CertificateReport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the certificate of Debian's servers with the output of OpenSSL and testssl.sh. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StartTlsServersTest {
    private final ModuleDefinition<StarttlsCertificate.Evidence> module = SheetModule.load(new StarttlsCertificate());

    private TlsLabFixture fixture;
    private TestCa.Identity identity;

    @TempDir
    Path folder;

    @BeforeAll
    void start() {
        fixture = new TlsLabFixture();
        identity = fixture.lab.issuer().issue(CertificateSpec.server(StartTlsLab.HOST));
        fixture.dns.address(StartTlsLab.HOST, "127.0.0.1");
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    @Test
    void postfix() throws Exception {
        try (StartTlsServer server = StartTlsServer.postfix(folder, identity)) {
            CheckResult result = check(server, "smtp");
            assertMatchesOpenssl(result, server, "smtp");
            assertThat(result.fields()).containsEntry("banner", "220 mx.lab.test ESMTP Postfix");
            String testssl = run(
                    DebianTool.require("testssl").toString(),
                    "--quiet",
                    "--color",
                    "0",
                    "--warnings",
                    "off",
                    "--ip",
                    "127.0.0.1",
                    "--nodns",
                    "min",
                    "-S",
                    "-t",
                    "smtp",
                    StartTlsLab.HOST + ":" + server.port());
            assertThat(find(testssl, "(?s)SHA256 ([0-9A-F]{64})"))
                    .isEqualToIgnoringCase(String.valueOf(result.fields().get("sha256")));
            assertThat(find(testssl, "subjectAltName \\(SAN\\) +(\\S+)")).isEqualTo(StartTlsLab.HOST);
        }
    }

    @Test
    void dovecotImap() throws Exception {
        try (StartTlsServer server = StartTlsServer.dovecot(folder, identity, StartTlsService.IMAP)) {
            CheckResult result = check(server, "imap");
            assertMatchesOpenssl(result, server, "imap");
            assertThat(String.valueOf(result.fields().get("banner"))).startsWith("* OK [CAPABILITY IMAP4rev1 ");
        }
    }

    @Test
    void dovecotPop3() throws Exception {
        try (StartTlsServer server = StartTlsServer.dovecot(folder, identity, StartTlsService.POP3)) {
            assertMatchesOpenssl(check(server, "pop3"), server, "pop3");
            assertThat(check(server, "smtp").findings())
                    .extracting("code")
                    .containsExactly("protocol_mismatch", "protocol_suggested");
        }
    }

    @Test
    void vsftpd() throws Exception {
        try (StartTlsServer server = StartTlsServer.vsftpd(folder, identity, true)) {
            CheckResult result = check(server, "ftp");
            assertMatchesOpenssl(result, server, "ftp");
            assertThat(result.fields()).containsEntry("banner", greeting(server));
        }
    }

    /** BoringSSL does not support Ed25519, so the dialog is repeated over a second connection. */
    @Test
    void vsftpdWithAnEd25519Certificate() throws Exception {
        TestCa.Identity ed25519 = fixture.lab
                .issuer()
                .issue(CertificateSpec.server(StartTlsLab.HOST).key("Ed25519"));
        try (StartTlsServer server = StartTlsServer.vsftpd(folder, ed25519, true)) {
            assertThat(check(server, "ftp").fields())
                    .containsEntry("valid", true)
                    .containsEntry("key_type", "Ed25519")
                    .containsEntry("starttls_offered", true);
        }
    }

    @Test
    void vsftpdWithoutTls() throws Exception {
        try (StartTlsServer server = StartTlsServer.vsftpd(folder, identity, false)) {
            CheckResult result = check(server, "ftp");
            assertThat(result.fields()).containsEntry("starttls_offered", false);
            assertThat(openssl(server, "ftp")).doesNotContain("BEGIN CERTIFICATE");
        }
    }

    @Test
    void prosody() throws Exception {
        try (StartTlsServer server = StartTlsServer.prosody(folder, identity, StartTlsLab.HOST)) {
            assertMatchesOpenssl(check(server, "xmpp"), server, "xmpp");
            CheckResult other = check("127.0.0.1:" + server.port(), "xmpp");
            assertThat(other.findings()).extracting("code").containsExactly("connection_rejected");
            assertThat(other.error().message()).contains("host-unknown");
        }
    }

    @Test
    void postgresql() throws Exception {
        try (StartTlsServer server = StartTlsServer.postgresql(folder, identity, true)) {
            CheckResult result = check(server, "postgresql");
            assertMatchesOpenssl(result, server, "postgres");
            assertThat(result.fields()).containsEntry("banner", null);
            assertThat(check(server, "mysql").error().message())
                    .startsWith("The server sent no data within ")
                    .endsWith(" ms. Increase timeout_ms if the server responds slowly.");
            assertThat(check(server, "ldap").error().message())
                    .isEqualTo("The server closed the connection before the TLS handshake.");
        }
    }

    @Test
    void postgresqlWithoutTls() throws Exception {
        try (StartTlsServer server = StartTlsServer.postgresql(folder, identity, false)) {
            CheckResult result = check(server, "postgresql");
            assertThat(result.fields()).containsEntry("starttls_offered", false);
            assertThat(result.findings()).extracting("code").containsExactly("starttls_not_offered");
            assertThat(openssl(server, "postgres")).doesNotContain("BEGIN CERTIFICATE");
        }
    }

    /** OpenSSL accepts the dialogs of the laboratory servers, for which Debian's servers are not installed. */
    @ParameterizedTest
    @ValueSource(strings = {"ldap", "mysql"})
    void laboratoryServersMatchOpenssl(String protocol) throws Exception {
        StartTlsLab lab = new StartTlsLab(fixture.vertx, fixture.lab);
        assertThat(openssl(lab.server(protocol).port(), protocol)).contains("BEGIN CERTIFICATE");
        assertThat(openssl(lab.server(protocol + "-plain").port(), protocol)).doesNotContain("BEGIN CERTIFICATE");
    }

    private CheckResult check(StartTlsServer server, String protocol) throws Exception {
        return check(StartTlsLab.HOST + ":" + server.port(), protocol);
    }

    private CheckResult check(String host, String protocol) throws Exception {
        Target target = TargetParser.parse(module.description(), host);
        return ModuleExecution.run(
                fixture.vertx,
                module,
                target,
                fixture.contextOf(module.description(), Map.of("protocol", protocol))
                        .withProbe(StartTlsProbe.class, new StartTlsProbe(fixture.vertx, fixture.tls)));
    }

    private String openssl(StartTlsServer server, String protocol) throws Exception {
        return openssl(server.port(), protocol);
    }

    private static String openssl(int port, String protocol) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                DebianTool.require("openssl").toString(),
                "s_client",
                "-connect",
                "127.0.0.1:" + port,
                "-starttls",
                protocol,
                "-servername",
                StartTlsLab.HOST));
        if (protocol.equals("xmpp")) {
            command.addAll(List.of("-xmpphost", StartTlsLab.HOST));
        }
        return run(command.toArray(new String[0]));
    }

    private void assertMatchesOpenssl(CheckResult result, StartTlsServer server, String protocol) throws Exception {
        assertThat(result.error()).isNull();
        assertThat(result.fields())
                .containsEntry("valid", true)
                .containsEntry("starttls_offered", true)
                .containsEntry("ip", "127.0.0.1");
        String session = openssl(server, protocol);
        String version = find(session, "(?m)^New, (TLSv1\\.\\d), Cipher is");
        assertThat(result.fields()).containsEntry("tls_version", version);
        assertThat(session).contains(identity.pem().strip());
        assertThat(String.valueOf(result.fields().get("serial")))
                .isEqualTo(CertificateReport.serial(identity.certificate().getSerialNumber()));
    }

    private static String greeting(StartTlsServer server) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", server.port());
                BufferedReader reader =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            String line = reader.readLine();
            assertThat(line).startsWith("220 (vsFTPd ");
            return line;
        }
    }

    private static String find(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(pattern + " in " + text).isTrue();
        return matcher.group(1);
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }
}
