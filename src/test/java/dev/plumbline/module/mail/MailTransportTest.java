package dev.plumbline.module.mail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.Message;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.http.api.tool.ResultContract;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.run.CheckRunner;
import dev.plumbline.run.TestRunners;
import dev.plumbline.support.Await;
import dev.plumbline.support.BindZoneSigner;
import dev.plumbline.support.NamedServer;
import dev.plumbline.support.NginxServer;
import dev.plumbline.support.StartTlsServer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * DANE and MTA-STS of domains whose zones BIND serves, signed by dnssec-signzone, whose policies nginx serves, and
 * whose mail servers are Postfix on port 25 of loopback addresses.
 */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MailTransportTest {
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();
    private static final String EC = "ECDSAP256SHA256";
    private static final String SITE = "127.15.11.1";
    private static final String WITHOUT_TLS = "127.15.11.2";
    private static final String VALID = "127.15.11.3";
    private static final String EXPIRED = "127.15.11.4";

    /** Domains by the mode of their MTA-STS policy and the address of their mail server. */
    private static final Map<String, List<String>> DOMAINS = Map.of(
            "dane", List.of("", WITHOUT_TLS),
            "plain", List.of("", WITHOUT_TLS),
            "plain-testing", List.of("testing", WITHOUT_TLS),
            "plain-enforce", List.of("enforce", WITHOUT_TLS),
            "valid", List.of("enforce", VALID),
            "other-name", List.of("enforce", VALID),
            "other-name-testing", List.of("testing", VALID),
            "expired", List.of("enforce", EXPIRED));

    private final Vertx vertx = Vertx.vertx();
    private final TestCa root = TestCa.root("Mail Root");

    private Path folder;
    private List<AutoCloseable> servers;
    private CheckRunner runner;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        folder = directory;
        // processes of other users open files below it
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        NamedServer named = named(Files.createDirectory(folder.resolve("named")));
        servers = new ArrayList<>(List.of(named));
        servers.add(nginx(Files.createDirectory(folder.resolve("nginx"))));
        postfix(WITHOUT_TLS, certificate("unused.test", Instant.now()), "smtpd_tls_security_level = none\n");
        postfix(VALID, certificate("mx.valid.test", Instant.now().plus(Duration.ofDays(60))), "");
        postfix(EXPIRED, certificate("mx.expired.test", Instant.now().minus(Duration.ofDays(2))), "");
        runner = runner(named);
    }

    private NamedServer named(Path zones) throws IOException, InterruptedException {
        BindZoneSigner signer = new BindZoneSigner(zones);
        StringBuilder test =
                new StringBuilder("ns1 A 127.0.0.1\n_25._tcp.mx.dane TLSA 3 1 1 " + "0a".repeat(32) + "\n");
        DOMAINS.forEach((name, domain) -> {
            test.append("%1$s A %2$s\n%1$s MX 10 mx.%1$s\nmx.%1$s A %3$s\n".formatted(name, SITE, domain.get(1)));
            if (!domain.get(0).isEmpty()) {
                test.append("mta-sts.%1$s A %2$s\n_mta-sts.%1$s TXT \"v=STSv1; id=1\"\n".formatted(name, SITE));
            }
        });
        signer.sign("test", EC, test.toString(), "", UnaryOperator.identity());
        signer.add("15.127.in-addr.arpa", "3.11 PTR mx.valid.test.\n");
        signer.sign("", EC, signer.delegation("test"), "", UnaryOperator.identity());
        Files.writeString(folder.resolve("anchor"), signer.trustAnchor());
        return NamedServer.serve(zones, signer.files());
    }

    private TestCa.Identity certificate(String name, Instant until) {
        return root.issue(CertificateSpec.server(name)
                .from(until.minus(Duration.ofDays(90)))
                .until(until));
    }

    private NginxServer nginx(Path directory) throws IOException {
        String hosts = DOMAINS.keySet().stream()
                .map(domain -> "mta-sts." + domain + ".test")
                .collect(Collectors.joining(" "));
        StringBuilder policies = new StringBuilder("return 421; }\n");
        DOMAINS.forEach((name, domain) -> policies.append(
                """
                server { listen %1$s:443 ssl; server_name mta-sts.%2$s.test; default_type text/plain;
                  ssl_certificate FOLDER/chain.pem; ssl_certificate_key FOLDER/key.pem;
                  return 200 "version: STSv1\\nmode: %3$s\\nmx: mx.%2$s.test\\nmax_age: 604800\\n"; }
                """
                        .formatted(SITE, name, domain.get(0))));
        policies.append("server { listen 127.0.0.1:PLAIN;\n");
        return NginxServer.start(directory, root.issue(CertificateSpec.server(hosts.split(" "))), policies.toString());
    }

    private void postfix(String address, TestCa.Identity identity, String settings) throws IOException {
        StartTlsServer server =
                StartTlsServer.postfix(Files.createDirectory(folder.resolve(address)), identity, settings);
        servers.add(server);
        NetClient client = vertx.createNetClient();
        Await.value(vertx.createNetServer()
                .connectHandler(socket -> forward(socket, client.connect(server.port(), "127.0.0.1")))
                .listen(25, address));
    }

    private static void forward(NetSocket from, Future<NetSocket> connection) {
        from.pause();
        connection.onFailure(refused -> from.close()).onSuccess(to -> {
            to.pipeTo(from);
            from.pipeTo(to);
        });
    }

    private CheckRunner runner(NamedServer named) throws Exception {
        Path roots = Files.writeString(folder.resolve("root.pem"), TestCa.pem(root.certificate()));
        Config config = ConfigLoader.load(
                null,
                Map.of(
                        "PLUMBLINE_TARGETS_ALLOW",
                        "127.0.0.0/8",
                        "PLUMBLINE_TARGETS_PER_IP_PER_SECOND",
                        "0",
                        "PLUMBLINE_DNS_SERVERS",
                        named.address(),
                        "PLUMBLINE_DNS_TRUST_ANCHORS",
                        Files.readString(folder.resolve("anchor")),
                        "PLUMBLINE_TLS_EXTRA_ROOTS",
                        roots.toString()));
        return TestRunners.builder(vertx, MODULES).config(config).capacity(4, 4).build();
    }

    @AfterAll
    void stop() throws Exception {
        Await.value(vertx.close());
        for (AutoCloseable server : servers == null ? List.<AutoCloseable>of() : servers) {
            server.close();
        }
    }

    private CheckResult check(String module, String target, Map<String, Object> options) {
        CheckResult result = Await.value(Await.onLoop(
                vertx,
                () -> TestRunners.run(runner, new Message.RunCheck(module, target, options, false, 30_000, "t"))));
        ResultContract.assertHolds(MODULES.find(module).description(), result);
        return result;
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }

    @Test
    void daneWithoutStarttlsFails() {
        CheckResult result = check("dane-tlsa", "mx.dane.test:25", Map.of());

        assertThat(result.error()).isNull();
        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(codes(result)).containsExactly("starttls_not_offered");
        assertThat(result.fields()).containsEntry("dnssec_secure", true).containsEntry("matches", null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"overview", "mail-health"})
    void compositesReportThatMailIsNotDelivered(String composite) {
        Map<String, Object> options = composite.equals("overview") ? Map.of("areas", List.of("mail")) : Map.of();

        CheckResult dane = check(composite, "dane.test", options);
        CheckResult expired = check(composite, "expired.test", options);

        assertThat(messages(dane, "part_fail"))
                .containsPattern("MX records and [0-9] other checks: These mail servers have TLSA records but do not "
                        + "support STARTTLS, so senders that use DANE do not deliver mail to them");
        assertThat(messages(dane, "part_error")).doesNotContain("DANE");
        assertThat(messages(expired, "part_fail"))
                .contains(
                        composite.equals("overview")
                                ? "STARTTLS certificate and 1 other check: The certificate \"mx.expired.test\" expired on "
                                : "MTA-STS policy: Senders that use MTA-STS do not deliver mail to mx.expired.test: "
                                        + "The certificate \"mx.expired.test\" expired on ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"overview", "mail-health"})
    void compositesReportAMissingPtrOfTheMailServer(String composite) {
        Map<String, Object> options = composite.equals("overview") ? Map.of("areas", List.of("mail")) : Map.of();

        assertThat(messages(check(composite, "expired.test", options), "part_warn"))
                .contains("Reverse DNS: The address does not have a PTR record (4.11.15.127.in-addr.arpa).");
        CheckResult valid = check(composite, "valid.test", options);
        assertThat(messages(valid, "part_warn")).doesNotContain("Reverse DNS");
        assertThat(String.valueOf(valid.fields().get("parts"))).contains("target=" + VALID + ", verdict=pass");
    }

    private static String messages(CheckResult result, String code) {
        return result.findings().stream()
                .filter(finding -> finding.code().equals(code))
                .map(Finding::message)
                .collect(Collectors.joining("\n"));
    }

    @ParameterizedTest
    @CsvSource({
        "dane, FAIL, tls_required_by_dane",
        "plain, WARN, no_starttls",
        "plain-testing, WARN, no_starttls",
        "plain-enforce, FAIL, tls_required_by_mta_sts",
        "valid, PASS, ''",
    })
    void mxNamesThePolicyThatPreventsDelivery(String domain, Verdict verdict, String code) {
        CheckResult result = check("mx", domain + ".test", Map.of());

        assertThat(result.verdict()).isEqualTo(verdict);
        assertThat(codes(result))
                .filteredOn(found -> !found.equals("single_mx") && !found.equals("no_ipv6"))
                .isEqualTo(code.isEmpty() ? List.of() : List.of(code));
        assertThat(result.findings()).noneMatch(finding -> finding.message().contains("unencrypted"));
    }

    @ParameterizedTest
    @CsvSource({"dane, FAIL, tls_required_by_dane", "plain-enforce, WARN, no_starttls"})
    void smtpReportsThatDanePreventsDelivery(String domain, Verdict verdict, String code) {
        CheckResult result = check("smtp", "mx." + domain + ".test", Map.of());

        assertThat(result.verdict()).isEqualTo(verdict);
        assertThat(codes(result)).contains(code);
        assertThat(result.findings()).noneMatch(finding -> finding.message().contains("unencrypted"));
    }

    @ParameterizedTest
    @CsvSource({
        "valid, PASS, true, ''",
        "expired, FAIL, false, mx_tls_invalid",
        "other-name, FAIL, false, mx_tls_invalid",
        "other-name-testing, WARN, false, mode_testing mx_tls_invalid_testing",
        "plain-enforce, FAIL, false, mx_tls_invalid",
    })
    void mtaStsValidatesTheCertificatesOfMailServers(String domain, Verdict verdict, boolean valid, String codes) {
        CheckResult result = check("mta-sts", domain + ".test", Map.of());

        assertThat(result.verdict()).isEqualTo(verdict);
        assertThat(codes(result)).isEqualTo(codes.isEmpty() ? List.of() : List.of(codes.split(" ")));
        assertThat(result.fields()).containsEntry("mx_tls", valid).containsEntry("mx_match", true);
    }
}
