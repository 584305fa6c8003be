package dev.plumbline.module.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.ModuleExecution;
import dev.plumbline.lab.StartTlsLab;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsLabFixture;
import dev.plumbline.lab.TlsServers;
import dev.plumbline.probe.starttls.StartTlsProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StarttlsCertificateTest {
    private final ModuleDefinition<StarttlsCertificate.Evidence> module = SheetModule.load(new StarttlsCertificate());

    private TlsLabFixture fixture;
    private StartTlsLab lab;

    @BeforeAll
    void start() {
        fixture = new TlsLabFixture();
        lab = new StartTlsLab(fixture.vertx, fixture.lab);
        fixture.dns.address(StartTlsLab.HOST, "127.0.0.1");
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    private CheckResult check(String name) {
        StartTlsLab.Server server = lab.server(name);
        return check(
                StartTlsLab.HOST,
                server.port(),
                Map.of("protocol", server.protocol()),
                server.expectation().equals("error=read_timeout") ? 600 : 20_000);
    }

    private CheckResult check(String host, int port, Map<String, ?> options) {
        return check(host, port, options, 20_000);
    }

    private CheckResult check(String host, int port, Map<String, ?> options, long timeoutMs) {
        try {
            Target target = TargetParser.parse(module.description(), host + ":" + port);
            return ModuleExecution.run(
                    fixture.vertx,
                    module,
                    target,
                    fixture.contextOf(module.description(), options)
                            .withDeadline(timeoutMs)
                            .withProbe(StartTlsProbe.class, new StartTlsProbe(fixture.vertx, fixture.tls)));
        } catch (InvalidTargetException invalid) {
            throw new AssertionError(invalid);
        }
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }

    Stream<StartTlsLab.Server> servers() {
        return lab.servers().stream();
    }

    @ParameterizedTest
    @MethodSource("servers")
    void reportsTheExpectedOutcome(StartTlsLab.Server server) {
        CheckResult result = check(server.name());
        String expected = server.expectation();
        if (expected.startsWith("error=")) {
            assertThat(result.error()).isNotNull();
            assertThat("error=" + result.error().code().id()).isEqualTo(expected);
            assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
        } else {
            assertThat(result.error()).isNull();
            assertThat(result.fields())
                    .containsEntry("starttls_offered", true)
                    .containsEntry("problem", "none")
                    .containsEntry("valid", true)
                    .containsEntry("ip", "127.0.0.1");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "smtp-plain, starttls_not_offered, false, The server does not support STARTTLS.",
        "imap-plain, starttls_not_offered, false, The server does not support STARTTLS.",
        "pop3-plain, starttls_not_offered, false, The server does not support STLS.",
        "ftp-plain, starttls_not_offered, false, The server does not support AUTH TLS.",
        "xmpp-plain, starttls_not_offered, false, The server does not support STARTTLS.",
        "smtp-refused, starttls_refused, true, "
                + "The server rejected STARTTLS: 454 4.7.0 TLS not available due to temporary reason",
        "smtp-rejected, connection_rejected, , "
                + "The SMTP server rejected the connection: 554 5.7.1 No SMTP service here",
        "imap-preauth, connection_rejected, , The IMAP server rejected the connection: * PREAUTH ready",
        "xmpp-unknown-host, connection_rejected, , The XMPP server rejected the connection: host-unknown",
        "imap-as-smtp, protocol_mismatch, , The server does not use SMTP on this port.",
        "http-as-xmpp, protocol_mismatch, , The server does not use XMPP on this port.",
        "ldap-plain, starttls_not_offered, false, The server does not support StartTLS.",
        "postgresql-plain, starttls_not_offered, false, The server does not support SSLRequest.",
        "mysql-plain, starttls_not_offered, false, The server does not support SSLRequest.",
        "ldap-refused, starttls_refused, , The server rejected StartTLS: result code 52: TLS not available",
        "ldap-disconnect, connection_rejected, , The LDAP server rejected the connection: result code 51: too busy",
        "postgresql-rejected, connection_rejected, , "
                + "'The PostgreSQL server rejected the connection: sorry, too many clients already'",
        "mysql-rejected, connection_rejected, , "
                + "The MySQL server rejected the connection: error 1040: Too many connections",
        "ldap-length, protocol_mismatch, , The server does not use LDAP on this port.",
        "ldap-indefinite, protocol_mismatch, , The server does not use LDAP on this port.",
        "postgresql-length, protocol_mismatch, , The server does not use PostgreSQL on this port.",
        "ssh-as-postgresql, protocol_mismatch, , The server does not use PostgreSQL on this port.",
        "nntp-as-postgresql, protocol_mismatch, , The server does not use PostgreSQL on this port.",
        "mysql-length, protocol_mismatch, , The server does not use MySQL on this port.",
        "mysql-short, protocol_mismatch, , The server does not use MySQL on this port.",
        "smtp-as-ldap, protocol_mismatch, , The server does not use LDAP on this port.",
        "endless-postgresql, protocol_mismatch, , The server does not use PostgreSQL on this port.",
        "endless-mysql, protocol_mismatch, , The server does not use MySQL on this port.",
    })
    void reportsWhyThereIsNoCertificate(String server, String code, Boolean offered, String message) {
        CheckResult result = check(server);
        assertThat(codes(result)).contains(code);
        assertThat(result.error().message()).isEqualTo(message);
        assertThat(result.fields())
                .containsEntry("starttls_offered", offered)
                .containsEntry("valid", null)
                .containsEntry("chain", null);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "smtp-injection",
                "imap-injection",
                "pop3-injection",
                "ftp-injection",
                "xmpp-injection",
                "ldap-injection",
                "postgresql-injection",
                "mysql-injection"
            })
    void discardsPlaintextAfterTheCommand(String server) {
        CheckResult result = check(server);
        assertThat(codes(result)).contains("plaintext_after_starttls");
        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(result.fields()).containsEntry("valid", true);
        assertThat(codes(check("smtp"))).doesNotContain("plaintext_after_starttls");
    }

    @Test
    void reportsPlaintextInsteadOfTheHandshake() {
        CheckResult result = check("smtp-garbage");
        assertThat(codes(result)).contains("plaintext_after_starttls");
        assertThat(result.error().message())
                .isEqualTo("The server sent data that is not TLS after its response to STARTTLS.");
    }

    @Test
    void reportsTheBanner() {
        assertThat(check("smtp-multiline").fields())
                .containsEntry("banner", "220-mail.lab.test\n220-No spam\n220 ESMTP");
        assertThat(check("imap").fields()).containsEntry("banner", "* OK [CAPABILITY IMAP4rev1 STARTTLS] ready");
        assertThat(check("xmpp").fields()).containsEntry("banner", null);
        assertThat(check("postgresql").fields()).containsEntry("banner", null);
        assertThat(check("mysql").fields()).containsEntry("banner", "8.0.36");
        assertThat(check("smtp-plain").fields()).containsEntry("banner", "220 mail");
    }

    @Test
    void suggestsTheProtocolOfTheGreeting() {
        assertThat(check("imap-as-smtp").findings())
                .filteredOn(finding -> finding.code().equals("protocol_suggested"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.action()).isEqualTo("Set the option `protocol` to `imap`."));
        assertThat(check("imap-as-mysql").findings())
                .filteredOn(finding -> finding.code().equals("protocol_suggested"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.action()).isEqualTo("Set the option `protocol` to `imap`."));
        assertThat(check("smtp-as-ldap").findings())
                .filteredOn(finding -> finding.code().equals("protocol_mismatch"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.message()).endsWith("It sent: 220 mail"));
        assertThat(codes(check("smtp-plain"))).doesNotContain("protocol_suggested", "implicit_tls_port");
    }

    @Test
    void evaluatesTheCertificateForTheServerNameOption() {
        assertThat(check(StartTlsLab.HOST, lab.server("smtp").port(), Map.of("sni", "other.lab.test"))
                        .fields())
                .containsEntry("problem", "hostname_mismatch")
                .containsEntry("starttls_offered", true);
        assertThat(codes(check(StartTlsLab.HOST, lab.server("smtp").port(), Map.of("warn_days", "365"))))
                .contains("expiring_soon");
    }

    @Test
    void tlsServerWithoutPlaintextTimesOut() {
        TestCa.Identity identity = fixture.lab.issuer().issue(CertificateSpec.server(StartTlsLab.HOST));
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(identity, TlsServers.ServerOptions.DEFAULT);
            CheckResult result = check(StartTlsLab.HOST, port, Map.of(), 600);
            assertThat(result.error().message())
                    .startsWith("The server sent no data within ")
                    .endsWith(" ms. Increase timeout_ms if the server responds slowly.");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "mx.caa.test, true",
        "mx.without-caa.test, false",
        "mx.broken-caa.test,",
        "127.0.0.1,",
    })
    void reportsWhetherCaaRecordsApplyToTheHost(String host, @Nullable Boolean found) {
        fixture.dns
                .address("mx.caa.test", "127.0.0.1")
                .record("caa.test. 60 IN CAA 0 issue \"ca.test\"")
                .address("mx.without-caa.test", "127.0.0.1")
                .address("mx.broken-caa.test", "127.0.0.1")
                .behave("broken-caa.test", DnsFaults.only(Type.CAA, DnsFaults.rcode(Rcode.SERVFAIL)));

        CheckResult result = check(host, lab.server("smtp-plain").port(), Map.of());

        assertThat(result.fields()).containsEntry("caa_found", found);
    }

    @Test
    void looksUpCaaRecordsDuringTheDialog() {
        fixture.dns
                .address("mx.slow-caa.test", "127.0.0.1")
                .record("slow-caa.test. 60 IN CAA 0 issue \"ca.test\"")
                .slow("mx.slow-caa.test", 800);

        // a lookup after the timeout of the dialog would exceed the deadline of the check
        CheckResult result = check("mx.slow-caa.test", lab.server("silent-smtp").port(), Map.of(), 2_000);

        assertThat(result.error().code().id()).isEqualTo("read_timeout");
        assertThat(result.fields()).containsEntry("caa_found", true);
    }

    @Test
    void failureOfTheConnectionIsAnError() {
        CheckResult result = check(StartTlsLab.HOST, FreePorts.next(), Map.of());
        assertThat(result.error().code().id()).isEqualTo("connect_refused");
        assertThat(result.fields()).containsEntry("starttls_offered", null).containsEntry("banner", null);
    }
}
