package dev.plumbline.module.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.StartTlsLab;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsLabFixture;
import dev.plumbline.lab.TlsScanFixture;
import dev.plumbline.probe.tls.TlsScanReport;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.support.StartTlsServer;
import dev.plumbline.support.StartTlsServer.StartTlsService;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The TLS scan of servers that start TLS with STARTTLS. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StartTlsScanTest {
    private static final ModuleDefinition<TlsScanReport> MODULE = SheetModule.load(new TlsProtocols());

    private TlsScanFixture scans;
    private TlsLabFixture fixture;
    private StartTlsLab lab;

    @TempDir
    Path folder;

    @BeforeAll
    void start() {
        scans = TlsScanFixture.start();
        fixture = new TlsLabFixture();
        lab = new StartTlsLab(fixture.vertx, fixture.lab);
    }

    @AfterAll
    void stop() {
        scans.close();
        fixture.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"smtp", "imap", "pop3", "ftp", "xmpp", "ldap", "postgresql", "mysql"})
    void scansAfterTheDialog(String protocol) {
        CheckResult result = check(lab.server(protocol).port(), protocol);

        assertThat(result.fields().get("versions")).isEqualTo(List.of("TLSv1.2", "TLSv1.3"));
        assertThat(result.fields())
                .containsEntry("extended_master_secret", true)
                .containsEntry("client_renegotiation", false)
                .containsEntry("session_tickets", true)
                .containsEntry("post_quantum", true);
        assertThat(codes(result)).doesNotContain("scan_incomplete", "features_unknown", "connection_limit_reached");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "smtp-plain",
                "imap-plain",
                "pop3-plain",
                "ftp-plain",
                "xmpp-plain",
                "ldap-plain",
                "postgresql-plain",
                "mysql-plain"
            })
    void aServerWithoutStarttlsIsAnError(String name) {
        CheckResult result = check(lab.server(name).port(), lab.server(name).protocol());

        assertThat(Objects.requireNonNull(result.error()).code()).isEqualTo(ErrorCode.TLS_HANDSHAKE_FAILED);
        assertThat(result.error().message()).endsWith("does not support " + command(name) + ".");
    }

    private static String command(String name) {
        return switch (name) {
            case "pop3-plain" -> "STLS";
            case "ftp-plain" -> "AUTH TLS";
            case "ldap-plain" -> "StartTLS";
            case "postgresql-plain", "mysql-plain" -> "SSLRequest";
            default -> "STARTTLS";
        };
    }

    @Test
    void withoutTheOptionTheServerDoesNotUseTls() {
        CheckResult result = check(lab.server("smtp").port(), "none");

        assertThat(Objects.requireNonNull(result.error()).code()).isEqualTo(ErrorCode.TLS_HANDSHAKE_FAILED);
    }

    @Tag("integration")
    @Test
    void scansDebiansServers() throws Exception {
        TestCa.Identity identity = fixture.lab.issuer().issue(CertificateSpec.server(StartTlsLab.HOST));
        try (StartTlsServer server = StartTlsServer.postfix(folder, identity)) {
            assertComplete(check(server.port(), "smtp"));
        }
        try (StartTlsServer server = StartTlsServer.dovecot(folder, identity, StartTlsService.IMAP)) {
            assertComplete(check(server.port(), "imap"));
        }
        try (StartTlsServer server = StartTlsServer.postgresql(folder, identity, true)) {
            assertComplete(check(server.port(), "postgresql"));
        }
    }

    private static void assertComplete(CheckResult result) {
        assertThat(result.error()).isNull();
        assertThat(result.fields())
                .containsEntry("tls13", true)
                .containsEntry("extended_master_secret", true)
                .containsEntry("secure_renegotiation", true)
                .containsEntry("early_data", false)
                .containsEntry("client_renegotiation", false);
        assertThat(codes(result)).doesNotContain("scan_incomplete", "features_unknown");
    }

    private CheckResult check(int port, String protocol) {
        return scans.check(MODULE, "127.0.0.1:" + port, Map.of("starttls", protocol), 20_000);
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }
}
