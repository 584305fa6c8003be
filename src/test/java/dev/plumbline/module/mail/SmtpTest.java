package dev.plumbline.module.mail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.config.Config;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dnssec.TrustAnchors;
import dev.plumbline.egress.DnsQueryLimits;
import dev.plumbline.egress.LabEgressGuard;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.ModuleExecution;
import dev.plumbline.lab.SignedZones;
import dev.plumbline.lab.SmtpLab;
import dev.plumbline.module.mail.Smtp.Evidence;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.DnssecProbe;
import dev.plumbline.probe.smtp.SmtpGreetingScript;
import dev.plumbline.probe.smtp.SmtpReply;
import dev.plumbline.probe.smtp.SmtpSession;
import dev.plumbline.probe.tcp.ConnectAttempts;
import dev.plumbline.probe.tcp.TcpProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SmtpTest {
    private static final ModuleDefinition<Evidence> MODULE = SheetModule.load(new Smtp());
    private static Vertx vertx;
    private static DnsLab dns;
    private static SmtpLab lab;
    private static TrustAnchors anchors;

    @BeforeAll
    static void start() {
        vertx = Vertx.vertx();
        dns = DnsLab.start();
        dns.address(SmtpLab.HOST, "127.0.0.1").address("two.test", "127.15.7.9", "127.0.0.1");
        SignedZones zones = SignedZones.ofLab("127.0.0.1");
        dns.sign(zones);
        anchors = TrustAnchors.parse(List.of(zones.trustAnchor()));
        lab = new SmtpLab(vertx);
    }

    private static DnssecProbe dnssec(TargetPolicy policy) {
        Config.DnsSettings settings =
                new Config.DnsSettings(List.of(dns.address()), List.of(), Duration.ofSeconds(1), 1_000);
        DnsResolver resolver = new DnsResolver(vertx, settings, policy, System::nanoTime);
        return new DnssecProbe(new DnsProbe(vertx, resolver, Map.of(), policy, new DnsQueryLimits(vertx, 0)), anchors);
    }

    @AfterAll
    static void stop() {
        Await.value(vertx.close());
        dns.close();
    }

    private static CheckResult check(String target, long timeoutMs) {
        TargetPolicy policy = HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*"));
        try {
            return ModuleExecution.run(
                    vertx,
                    MODULE,
                    TargetParser.parse(MODULE.description(), target),
                    TestCheckContext.of(MODULE.description(), Map.of())
                            .withDeadline(timeoutMs)
                            .withProbe(TcpProbe.class, new TcpProbe(vertx, LabEgressGuard.of(vertx, policy, dns)))
                            .withProbe(DnssecProbe.class, dnssec(policy)));
        } catch (InvalidTargetException invalid) {
            throw new AssertionError(target, invalid);
        }
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "good, PASS, -, ''",
                "multiline, PASS, -, ''",
                "plain, WARN, -, no_starttls",
                "helo, WARN, -, no_esmtp no_starttls",
                "masked, WARN, -, modified_by_firewall modified_by_firewall no_starttls",
                "auth, FAIL, -, plaintext_auth_before_tls",
                "scram, PASS, -, auth_before_tls",
                "small, WARN, -, size_limit_too_small",
                "rejecting, FAIL, smtp_protocol_error, connection_rejected",
                "busy, FAIL, smtp_protocol_error, temporarily_unavailable",
                "ehlo-rejected, FAIL, smtp_protocol_error, hello_rejected",
                "wrong-code, FAIL, smtp_protocol_error, other_protocol",
                "imap, FAIL, smtp_protocol_error, other_protocol",
                "pipelined, FAIL, smtp_protocol_error, unsolicited_reply",
                "closing, FAIL, smtp_protocol_error, no_greeting",
                "closing-after-greeting, FAIL, smtp_protocol_error, hello_unanswered",
                "silent, FAIL, read_timeout, no_greeting",
                "changing-code, FAIL, read_timeout, no_greeting",
                "dripping, FAIL, read_timeout, no_greeting",
                "endless-greeting, FAIL, response_too_large, response_too_large",
                "one-line, FAIL, response_too_large, response_too_large",
                "endless-extensions, FAIL, response_too_large, response_too_large",
            })
    void reportsEachServerOfTheLab(String server, Verdict verdict, @Nullable String error, String codes) {
        CheckResult result =
                check(SmtpLab.HOST + ":" + lab.server(server).port(), "read_timeout".equals(error) ? 700 : 10_000);

        assertThat(codes(result.findings())).isEqualTo(codes.isEmpty() ? List.of() : Arrays.asList(codes.split(" ")));
        assertThat(result.error() == null ? null : result.error().code().id()).isEqualTo(error);
        assertThat(result.verdict()).isEqualTo(verdict);
        assertThat(result.fields()).containsEntry("connected", true);
    }

    @ParameterizedTest
    @CsvSource({"endless-greeting, a greeting", "endless-extensions, a reply to EHLO"})
    void namesTheReplyThatIsTooLarge(String server, String reply) {
        CheckResult result = check(SmtpLab.HOST + ":" + lab.server(server).port(), 10_000);

        assertThat(result.findings())
                .extracting(Finding::message)
                .containsExactly("The server sent more than 4096 bytes before the end of " + reply + ".");
    }

    @Test
    void reportsAllFieldsOfAServer() {
        CheckResult result = check(SmtpLab.HOST + ":" + lab.server("auth").port(), 10_000);

        assertThat(result.fields())
                .containsEntry("banner", "220 mail.lab.test ESMTP")
                .containsEntry("greeting_ok", true)
                .containsEntry("starttls", true)
                .containsEntry("extensions", List.of("AUTH PLAIN LOGIN CRAM-MD5", "SIZE 52428800", "STARTTLS"))
                .containsEntry("size_limit", 52_428_800L)
                .containsEntry("auth_before_tls", true);
        assertThat((Double) result.fields().get("connect_ms")).isPositive();
        assertThat((Double) result.fields().get("banner_ms")).isPositive();
    }

    @Test
    void reportsARefusedConnectionAndAClosedAddress() {
        CheckResult refused = check("127.0.0.1:" + FreePorts.next(), 10_000);

        assertThat(refused.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(refused.error().code()).isEqualTo(ErrorCode.CONNECT_REFUSED);
        assertThat(codes(refused.findings())).containsExactly("port_refused");
        assertThat(refused.fields()).containsEntry("connected", false).containsEntry("starttls", null);
        CheckResult half = check("two.test:" + lab.server("good").port(), 10_000);
        assertThat(codes(half.findings())).containsExactly("other_address_closed");
        assertThat(half.findings().get(0).message()).contains("127.15.7.9");
    }

    @Test
    void endsTheSessionWithQuitAndDoesNotStartATransaction() {
        List<String> commands = new CopyOnWriteArrayList<>();
        int port = Await.value(vertx.createNetServer()
                        .connectHandler(socket -> {
                            socket.handler(command -> {
                                commands.add(command.toString());
                                socket.write(command.toString().startsWith("EHLO") ? "250 a.test\r\n" : "221 Bye\r\n");
                            });
                            socket.write("220 a.test\r\n");
                        })
                        .listen(0, "127.0.0.1"))
                .actualPort();

        assertThat(codes(check("127.0.0.1:" + port, 10_000).findings()))
                .containsExactly("no_starttls", "size_not_declared");
        assertThat(commands).containsExactly("EHLO plumbline.invalid\r\n", "QUIT\r\n");
    }

    /** RFC 5321 section 4.2: the greeting starts with a domain or an address literal. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "220 foo.com Simple Mail Transfer Service Ready | ''",
                "220 [192.0.2.1] ESMTP | ''",
                "220 [IPv6:2001:db8::1] ESMTP | ''",
                "220 foo.com | ''",
                "220 bücher.example ESMTP | ''",
                "220 | greeting_without_hostname",
                "220 mail ESMTP | greeting_without_hostname",
                "220 localhost.localdomain ESMTP | greeting_without_hostname",
                "220 srv01.corp.local Microsoft ESMTP | greeting_without_hostname",
                "220 ESMTP Postfix | greeting_without_hostname",
                "220 *********************************** | modified_by_firewall",
                "220 mx.example *** welcome *** | ''",
            })
    void evaluatesTheHostnameOfTheGreeting(String greeting, String codes) {
        Evaluation evaluation = evaluate(
                greeting + "\r\n", "250-foo.com\r\n250-SIZE 52428800\r\n250 STARTTLS\r\n", TcpProbe.End.SCRIPT, 5);

        assertThat(codes(evaluation.findings())).isEqualTo(codes.isEmpty() ? List.of() : List.of(codes));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "SIZE 1000000 | 1000000 | size",
                "SIZE 0 | - | ''",
                "SIZE | - | ''",
                "SIZE 99999999999999999999 | - | ''",
                "SIZE -1 | - | ''",
                "SIZE many | - | ''",
                "XSIZE 7 | - | size_not_declared",
            })
    void readsTheMessageSizeLimit(String extension, @Nullable Long limit, String code) {
        Evaluation evaluation = evaluate(
                "220 a.test\r\n", "250-a.test\r\n250-" + extension + "\r\n250 STARTTLS\r\n", TcpProbe.End.SCRIPT, 5);

        assertThat(evaluation.fields()).containsEntry("size_limit", limit);
        assertThat(codes(evaluation.findings()).contains("size_not_declared"))
                .isEqualTo(code.equals("size_not_declared"));
    }

    @Test
    void reportsASlowGreetingAndRepliesThatStop() {
        assertThat(codes(evaluate(
                                "220 a.test\r\n",
                                "250-a.test\r\n250-SIZE\r\n250 STARTTLS\r\n",
                                TcpProbe.End.SCRIPT,
                                7_000)
                        .findings()))
                .containsExactly("slow_greeting");
        Evaluation reset = evaluate("220 a.test\r\n", null, TcpProbe.End.RESET, 5);
        assertThat(reset.error().code()).isEqualTo(ErrorCode.CONNECTION_RESET);
        assertThat(codes(reset.findings())).containsExactly("hello_unanswered");
    }

    @Test
    void recommendsTheCertificateCheckForPortsWithImplicitTls() {
        InetAddress address = IpAddressText.parse("192.0.2.1");
        ConnectAttempts attempts = new ConnectAttempts(
                List.of(address), List.of(), address, new TcpProbe.Exchange(1, Buffer.buffer(), TcpProbe.End.TIMEOUT));
        Evaluation evaluation = MODULE.evaluate(
                new Evidence(465, attempts, new SmtpGreetingScript().session(), TlsRequirement.NONE),
                Options.defaults(MODULE.description()));

        assertThat(codes(evaluation.findings())).containsExactly("implicit_tls_port");
        assertThat(evaluation.findings().get(0).action()).contains("`ssl-certificate`");
    }

    @ParameterizedTest
    @CsvSource({
        "CONNECT_TIMEOUT, port_filtered",
        "CONNECT_UNREACHABLE, host_unreachable",
        "CONNECTION_RESET, port_refused"
    })
    void reportsFailedConnections(ErrorCode code, String finding) {
        InetAddress address = IpAddressText.parse("192.0.2.1");
        ConnectAttempts attempts =
                new ConnectAttempts(List.of(address), List.of(new CheckError(code, "failed.")), null, null);
        Evaluation evaluation = MODULE.evaluate(
                new Evidence(25, attempts, new SmtpGreetingScript().session(), TlsRequirement.NONE),
                Options.defaults(MODULE.description()));

        assertThat(codes(evaluation.findings())).containsExactly(finding);
    }

    private static Evaluation evaluate(String greeting, @Nullable String hello, TcpProbe.End end, double greetingMs) {
        InetAddress address = IpAddressText.parse("192.0.2.1");
        SmtpSession session = new SmtpSession(
                SmtpReply.readAll(Buffer.buffer(greeting)).get(0),
                hello == null ? null : SmtpReply.readAll(Buffer.buffer(hello)).get(0),
                true,
                greetingMs,
                false);
        ConnectAttempts attempts = new ConnectAttempts(
                List.of(address), List.of(), address, new TcpProbe.Exchange(1, Buffer.buffer(), end));
        return MODULE.evaluate(
                new Evidence(25, attempts, session, TlsRequirement.NONE), Options.defaults(MODULE.description()));
    }

    private static List<String> codes(List<Finding> findings) {
        return findings.stream().map(Finding::code).toList();
    }
}
