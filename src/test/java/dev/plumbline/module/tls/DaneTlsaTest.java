package dev.plumbline.module.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.dnssec.TrustAnchors;
import dev.plumbline.lab.ModuleExecution;
import dev.plumbline.lab.SignedZone;
import dev.plumbline.lab.SignedZones;
import dev.plumbline.lab.TlsLab;
import dev.plumbline.lab.TlsLabFixture;
import dev.plumbline.lab.TlsaText;
import dev.plumbline.module.tls.DaneTlsa.Evidence;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.DnssecProbe;
import dev.plumbline.probe.starttls.StartTlsProbe;
import dev.plumbline.probe.starttls.StartTlsProtocol;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.support.Await;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.StartTlsServer;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Future;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.TLSARecord;
import org.xbill.DNS.Type;

/** Compares TLSA records with the certificates of real servers, and the results with those of OpenSSL. */
class DaneTlsaTest {
    private static final ModuleDefinition<Evidence> MODULE = SheetModule.load(new DaneTlsa());
    private static final String MAIL_ADDRESS = "127.15.9.25";
    private static TlsLabFixture fixture;
    private static Path roots;

    @BeforeAll
    static void start(@TempDir Path folder) throws IOException {
        fixture = new TlsLabFixture();
        roots = Files.writeString(folder.resolve("root.pem"), fixture.lab.rootPem());
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    /**
     * @param server of the lab
     * @param records usage, selector, matching type and certificate: its position in the chain, or "other"
     */
    private static CheckResult check(String server, String records) {
        SignedZone zone = SignedZone.of("tls.lab.test.");
        return check(server, records, zone, SignedZone.of(".").delegate(zone));
    }

    private static CheckResult checkInsecure(String server, String records) {
        return check(
                server,
                records,
                SignedZone.of("tls.lab.test.").unsigned(),
                SignedZone.of(".").delegateUnsigned("tls.lab.test."));
    }

    private static CheckResult check(String server, String records, SignedZone zone, SignedZone root) {
        TlsLab.Server found = fixture.lab.server(server);
        return ModuleExecution.run(
                fixture.vertx,
                MODULE,
                target(found.host() + ":" + found.port()),
                contextWith(server, records, zone, root));
    }

    private static TestCheckContext contextWith(String server, String records, SignedZone zone, SignedZone root) {
        TlsLab.Server found = fixture.lab.server(server);
        zone.record(found.host() + ". A 127.0.0.1");
        for (String record : records.isEmpty() ? new String[0] : records.split(", ")) {
            zone.record("_%d._tcp.%s. TLSA %s".formatted(found.port(), found.host(), data(server, record)));
        }
        SignedZones zones = new SignedZones(root, zone);
        fixture.dns.sign(zones);
        DnssecProbe probe = new DnssecProbe(fixture.dnsProbe, TrustAnchors.parse(List.of(zones.trustAnchor())));
        return fixture.contextOf(MODULE.description(), Map.of())
                .withProbe(DnsProbe.class, fixture.dnsProbe)
                .withProbe(DnssecProbe.class, probe)
                .withProbe(StartTlsProbe.class, new StartTlsProbe(fixture.vertx, fixture.tls));
    }

    private static String data(String server, String record) {
        String[] parts = record.split(" ");
        String parameters = parts[0] + " " + parts[1] + " " + parts[2] + " ";
        if (parts[3].equals("other")) {
            return parameters + "00".repeat(parts[2].equals("2") ? 64 : 32);
        }
        List<X509Certificate> chain = fixture.lab.identity(server).chain();
        int position = Integer.parseInt(parts[3]);
        X509Certificate certificate = position < chain.size()
                ? chain.get(position)
                : fixture.lab.root().certificate();
        return parameters + TlsaText.data(certificate, Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
    }

    @Tag("integration")
    @ParameterizedTest
    @CsvSource({
        "valid, 3 1 1 0, none",
        "valid, 3 0 1 0, none",
        "valid, 3 1 2 0, none",
        "valid, 3 0 0 0, none",
        "valid, 3 1 0 0, none",
        "valid, 3 1 1 other, no_match",
        "valid, 3 1 1 1, no_match",
        "valid, 2 0 1 1, none",
        "valid, 2 1 1 1, none",
        "valid, 2 1 2 0, no_match",
        "valid, 2 1 1 other, no_match",
        "valid, 1 1 1 0, none",
        "valid, 1 0 1 other, no_match",
        "valid, 0 0 1 1, none",
        "valid, 0 1 1 2, none",
        "valid, 0 1 1 0, no_match",
        "expired, 3 1 1 0, none",
        "expired, 2 1 1 1, expired",
        "expired, 1 1 1 0, expired",
        "wrong-name, 3 1 1 0, none",
        "wrong-name, 2 1 1 1, hostname_mismatch",
        "self-signed, 3 1 1 0, none",
        "self-signed, 1 1 1 0, not_trusted",
    })
    void agreesWithOpenssl(String server, String record, String problem) throws Exception {
        CheckResult result = check(server, record);

        assertThat(result.error()).isNull();
        assertThat(rows(result).get(0)).containsEntry("problem", problem);
        assertThat(result.fields())
                .containsEntry("matches", problem.equals("none"))
                .containsEntry("dnssec_secure", true);
        TlsLab.Server found = fixture.lab.server(server);
        assertThat(opensslVerifies(found.host(), found.port(), data(server, record)))
                .isEqualTo(problem.equals("none"));
    }

    /** Postfix on port 25, with a certificate for another host, which matters for usage 2 only. */
    @Tag("integration")
    @Test
    void agreesWithOpensslOnPostfix(@TempDir Path folder) throws Exception {
        String host = "mx.tls.lab.test";
        try (StartTlsServer postfix = StartTlsServer.postfix(folder, fixture.lab.identity("valid"))) {
            NetClient client = fixture.vertx.createNetClient();
            NetServer mail = Await.value(fixture.vertx
                    .createNetServer()
                    .connectHandler(socket -> forward(socket, client.connect(postfix.port(), "127.0.0.1")))
                    .listen(25, MAIL_ADDRESS));
            for (String record : List.of("3 1 1 0", "2 1 1 1", "3 1 1 other", "2 0 1 0")) {
                SignedZone zone = SignedZone.of("tls.lab.test.");
                zone.record(host + ". A " + MAIL_ADDRESS)
                        .record("_25._tcp." + host + ". TLSA " + data("valid", record));
                TestCheckContext context =
                        contextWith("valid", "", zone, SignedZone.of(".").delegate(zone));

                CheckResult result = ModuleExecution.run(fixture.vertx, MODULE, target(host + ":25"), context);

                assertThat(result.error()).as(record).isNull();
                assertThat(result.fields())
                        .as(record)
                        .containsEntry(
                                "matches",
                                opensslVerifies(host, postfix.port(), data("valid", record), "-starttls", "smtp"));
            }
            Await.value(mail.close());
        }
    }

    private static void forward(NetSocket from, Future<NetSocket> connection) {
        from.pause();
        connection.onFailure(refused -> from.close()).onSuccess(to -> {
            to.pipeTo(from);
            from.pipeTo(to);
        });
    }

    private static boolean opensslVerifies(String host, int port, String record, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                DebianTool.require("openssl").toString(),
                "s_client",
                "-connect",
                "127.0.0.1:" + port,
                "-servername",
                host,
                "-dane_tlsa_domain",
                host,
                "-dane_ee_no_namechecks",
                "-dane_tlsa_rrdata",
                record,
                "-CAfile",
                roots.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        assertThat(output).contains("Verif");
        return output.contains("Verification: OK") || output.contains("Verify return code: 0 (ok)");
    }

    @ParameterizedTest
    @CsvSource({
        "'3 1 1 0, 3 1 1 other', true, other_records",
        "'3 1 1 other, 2 0 1 other', false, no_match",
        "'3 1 1 0, 4 1 1 other', true, unusable_records",
        "'3 2 1 other, 3 1 3 other, 3 1 2 other', false, unusable_records no_match",
        "'3 0 0 0', true, full_certificate",
        "'255 1 1 other', , unusable_records",
        "'', , tlsa_missing",
    })
    void reportsRecords(String records, Boolean matches, String findings) {
        CheckResult result = check("valid", records);

        assertThat(result.fields()).containsEntry("matches", matches);
        assertThat(result.findings()).extracting(Finding::code).containsExactlyInAnyOrder(findings.split(" "));
    }

    @Test
    void requiresDnssec() {
        SignedZone stripped = SignedZone.of("tls.lab.test.").unsigned();
        CheckResult bogus =
                check("valid", "3 1 1 0", stripped, SignedZone.of(".").delegate(stripped));
        assertThat(bogus.findings()).extracting(Finding::code).contains("lookup_bogus");
        assertThat(bogus.findings())
                .extracting(Finding::message)
                .anyMatch(message -> message.contains("(dnskey missing)"));
        assertThat(bogus.fields()).containsEntry("dnssec_secure", false);

        CheckResult insecure = checkInsecure("valid", "3 1 1 0");
        assertThat(insecure.findings()).extracting(Finding::code).containsExactly("not_secure");
        assertThat(insecure.fields()).containsEntry("dnssec_secure", false).containsEntry("matches", true);
    }

    /** Clients ignore records that are not secure, so they connect. */
    @Test
    void doesNotReportAFailureOfClientsThatIgnoreTheRecords() {
        CheckResult insecure = checkInsecure("valid", "3 1 1 other");

        assertThat(insecure.findings()).extracting(Finding::code).containsExactly("not_secure");
        assertThat(insecure.verdict()).isEqualTo(Verdict.WARN);
        assertThat(insecure.fields()).containsEntry("matches", false);
    }

    /** RFC 7672 section 3.1.3: SMTP clients do not use the usages 0 and 1. */
    @ParameterizedTest
    @CsvSource({
        "1 1 1 other, , unused_usage",
        "1 1 1 0, , unused_usage",
        "'3 1 1 0, 1 1 1 other', true, unused_usage",
        "'3 1 1 other, 1 1 1 0', false, no_match unused_usage",
    })
    void ignoresRecordsThatMailServersDoNotUse(String records, Boolean matches, String findings) {
        SignedZone zone = SignedZone.of("tls.lab.test.");
        TlsLab.Server server = fixture.lab.server("valid");
        TestCheckContext context =
                contextWith("valid", records, zone, SignedZone.of(".").delegate(zone));
        Evidence tls = Await.value(Await.onLoop(
                fixture.vertx, () -> MODULE.collect(target(server.host() + ":" + server.port()), context)));

        Evaluation evaluation = MODULE.evaluate(
                new Evidence(tls.tlsa(), StartTlsProtocol.SMTP, tls.certificate(), null, true), context.options());

        assertThat(evaluation.findings()).extracting(Finding::code).containsExactlyInAnyOrder(findings.split(" "));
        assertThat(evaluation.fields()).containsEntry("matches", matches);
    }

    /** A host that does not exist differs from a host without TLSA records. */
    @Test
    void reportsAHostThatDoesNotExist() {
        SignedZone zone = SignedZone.of("tls.lab.test.");
        TestCheckContext context =
                contextWith("valid", "", zone, SignedZone.of(".").delegate(zone));

        CheckResult result = ModuleExecution.run(fixture.vertx, MODULE, target("missing.tls.lab.test:443"), context);

        assertThat(result.error().code()).isEqualTo(ErrorCode.DNS_NXDOMAIN);
        assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
    }

    @Test
    void withholdsRecordsOfPrivateHosts() {
        fixture.dns.address("internal.lab.test", "10.1.2.3");
        SignedZone zone = SignedZone.of("tls.lab.test.");
        TestCheckContext context =
                contextWith("valid", "", zone, SignedZone.of(".").delegate(zone));

        CheckResult result = ModuleExecution.run(fixture.vertx, MODULE, target("internal.lab.test:443"), context);

        assertThat(result.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(result.toString()).doesNotContain("10.1.2.3");
    }

    /** The examples of RFC 6698 section 2.3. */
    @ParameterizedTest
    @CsvSource({
        "0 0 1 d2abde240d7cd3ee6b4b28c54df034b97983a1d16e8a410e4561cb106618e971, true, false",
        "1 1 2 92003ba34942dc74152e2f2c408d29eca5a520e7f2e06bb944f4dca346baf63c"
                + "1b177615d466f6c4b71c216a50292bd58c9ebdd2f74e38fe51ffd48c43326cbc, true, false",
        "3 0 0 30820307308201efa003020102020, false, true",
    })
    void readsTheExamplesOfTheRfc(String data, boolean publicRoot, boolean exact) throws IOException {
        // an odd number of digits: the RFC shows only the beginning of the certificate
        String complete = data.startsWith("3") ? data + "1" : data;
        Name name = Name.fromConstantString("_443._tcp.www.example.com.");
        TLSARecord record = (TLSARecord) Record.fromString(name, Type.TLSA, DClass.IN, 3600, complete, Name.root);

        assertThat(TlsaMatcher.isUsable(record)).isTrue();
        assertThat(TlsaMatcher.requiresPublicRoot(record.getCertificateUsage())).isEqualTo(publicRoot);
        assertThat(record.getMatchingType() == TLSARecord.MatchingType.EXACT).isEqualTo(exact);
    }

    @Test
    void rejectsAddresses() {
        CheckResult result = ModuleExecution.run(
                fixture.vertx, MODULE, target("127.0.0.1:443"), fixture.contextOf(MODULE.description(), Map.of()));

        assertThat(result.error().code()).isEqualTo(ErrorCode.INVALID_TARGET);
    }

    private static Target target(String text) {
        try {
            return TargetParser.parse(MODULE.description(), text);
        } catch (InvalidTargetException invalid) {
            throw new AssertionError(invalid);
        }
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> rows(CheckResult result) {
        return (List<Map<String, Object>>) result.fields().get("records");
    }
}
