package dev.plumbline.module.mail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.egress.LabEgressGuard;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.ModuleExecution;
import dev.plumbline.lab.TestCa;
import dev.plumbline.probe.tcp.TcpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.support.Await;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.StartTlsServer;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the extensions of Postfix with the output of swaks and OpenSSL. */
@Tag("integration")
class SmtpPostfixTest {
    private static final ModuleDefinition<Smtp.Evidence> MODULE = SheetModule.load(new Smtp());
    private static final Pattern REPLY = Pattern.compile("(?m)^ ?<(?:-|\\*\\*) +(\\d{3}[ -].*)$");
    private static Vertx vertx;
    private static DnsLab dns;
    private static TestCa.Identity identity;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        vertx = Vertx.vertx();
        dns = DnsLab.start();
        identity = TestCa.selfSigned(CertificateSpec.server("mx.lab.test"));
    }

    @AfterAll
    static void stop() {
        Await.value(vertx.close());
        dns.close();
    }

    @Test
    void listsTheExtensionsOfPostfix() throws Exception {
        try (StartTlsServer server =
                StartTlsServer.postfix(folder, identity, "message_size_limit = 33554432\nmydestination = lab.test\n")) {
            CheckResult result = check(server);

            assertThat(result.verdict()).isEqualTo(Verdict.PASS);
            assertThat(result.fields())
                    .containsEntry("banner", "220 mx.lab.test ESMTP Postfix")
                    .containsEntry("greeting_ok", true)
                    .containsEntry("starttls", true)
                    .containsEntry("size_limit", 33_554_432L)
                    .containsEntry("auth_before_tls", false)
                    .containsEntry("extensions", extensions(swaks(server)));
            assertThat(openssl(server)).contains("BEGIN CERTIFICATE");
        }
    }

    @Test
    void reportsPostfixWithoutTls() throws Exception {
        try (StartTlsServer server =
                StartTlsServer.postfix(folder, identity, "smtpd_tls_security_level = none\nmessage_size_limit = 0\n")) {
            CheckResult result = check(server);

            assertThat(result.findings()).extracting(Finding::code).containsExactly("no_starttls");
            assertThat(result.fields())
                    .containsEntry("starttls", false)
                    .containsEntry("size_limit", null)
                    .containsEntry("extensions", extensions(swaks(server)));
            assertThat(openssl(server)).doesNotContain("BEGIN CERTIFICATE");
        }
    }

    @Test
    void reportsPostfixThatRejectsTheClient() throws Exception {
        try (StartTlsServer server = StartTlsServer.postfix(
                folder, identity, "smtpd_delay_reject = no\nsmtpd_client_restrictions = reject\n")) {
            CheckResult result = check(server);

            assertThat(result.error().code()).isEqualTo(ErrorCode.SMTP_PROTOCOL_ERROR);
            assertThat(result.findings()).extracting(Finding::code).containsExactly("connection_rejected");
            assertThat(result.fields())
                    .containsEntry("greeting_ok", false)
                    .containsEntry("banner", replies(swaks(server)).get(0));
        }
    }

    private static CheckResult check(StartTlsServer server) throws Exception {
        TcpProbe probe = new TcpProbe(
                vertx, LabEgressGuard.of(vertx, HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")), dns));
        return ModuleExecution.run(
                vertx,
                MODULE,
                TargetParser.parse(MODULE.description(), "127.0.0.1:" + server.port()),
                TestCheckContext.of(MODULE.description(), Map.of()).withProbe(TcpProbe.class, probe));
    }

    private static List<String> replies(String transcript) {
        return REPLY.matcher(transcript).results().map(line -> line.group(1)).toList();
    }

    private static List<String> extensions(String transcript) {
        return replies(transcript).stream()
                .filter(line -> line.startsWith("250"))
                .skip(1)
                .map(line -> line.substring(4))
                .toList();
    }

    private static String swaks(StartTlsServer server) throws Exception {
        return run(
                DebianTool.require("swaks").toString(),
                "--server",
                "127.0.0.1:" + server.port(),
                "--helo",
                "plumbline.invalid",
                "--from",
                "a@lab.test",
                "--to",
                "b@lab.test",
                "--quit-after",
                "FIRST-EHLO");
    }

    private static String openssl(StartTlsServer server) throws Exception {
        return run(
                DebianTool.require("openssl").toString(),
                "s_client",
                "-starttls",
                "smtp",
                "-connect",
                "127.0.0.1:" + server.port());
    }

    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }
}
