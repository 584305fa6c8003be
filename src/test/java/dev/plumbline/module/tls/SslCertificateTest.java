package dev.plumbline.module.tls;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.RevocationLab;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsLab;
import dev.plumbline.lab.TlsLabFixture;
import dev.plumbline.lab.TlsServers;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SslCertificateTest {
    private TlsLabFixture fixture;

    @BeforeAll
    void start() {
        fixture = new TlsLabFixture();
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    Stream<TlsLab.Server> shown() {
        return fixture.lab.servers().stream().filter(server -> server.error().isEmpty());
    }

    Stream<TlsLab.Server> failing() {
        return fixture.lab.servers().stream().filter(server -> !server.error().isEmpty());
    }

    private static List<String> codes(Evaluation evaluation) {
        return evaluation.findings().stream().map(Finding::code).toList();
    }

    @ParameterizedTest
    @MethodSource("shown")
    void reportsTheExpectedProblem(TlsLab.Server server) {
        Evaluation evaluation = fixture.evaluate(server.name());
        assertThat(evaluation.error()).isNull();
        assertThat(evaluation.fields())
                .containsEntry("problem", server.problem())
                .containsEntry("valid", server.problem().equals("none"))
                .containsEntry("ip", "127.0.0.1");
        fixture.description().fields().forEach(field -> {
            assertThat(evaluation.fields()).containsKey(field.name());
            if (!field.nullable()) {
                assertThat(evaluation.fields().get(field.name()))
                        .as(field.name())
                        .isNotNull();
            }
        });
        if (!server.problem().equals("none")) {
            assertThat(evaluation.findings().get(0).code()).isEqualTo(server.problem());
            assertThat(evaluation.findings().get(0).level()).isEqualTo(Level.FAIL);
        } else {
            assertThat(evaluation.findings()).extracting(Finding::level).doesNotContain(Level.FAIL);
        }
        assertThat(fixture.description().findings()).extracting("code").containsAll(codes(evaluation));
    }

    @Tag("integration")
    @ParameterizedTest
    @MethodSource("failing")
    void reportsHandshakeErrors(TlsLab.Server server) {
        String code = Await.value(fixture.check(
                        server.host() + ":" + server.port(),
                        fixture.context(server.optionMap()).withDeadline(3_000))
                .map(evaluation -> evaluation.error() == null
                        ? ""
                        : evaluation.error().code().id())
                .otherwise(failure -> failure instanceof CheckFailure known
                        ? known.error().code().id()
                        : failure.toString()));
        assertThat(code).isEqualTo(server.error());
    }

    @ParameterizedTest
    @CsvSource({
        "expiring-soon, expiring_soon",
        "wrong-order, chain_out_of_order",
        "extra-certificates, extra_certificates",
        "duplicate, extra_certificates",
        "hundred, extra_certificates",
        "must-staple, must_staple_missing",
        "tls-1.0, legacy_tls_version",
        "ocsp-unknown, revocation_unknown",
        "ocsp-good, not_stapled",
        "client-certificate, client_certificate_requested",
    })
    void reportsFurtherFindings(String server, String code) {
        assertThat(codes(fixture.evaluate(server))).contains(code);
    }

    @ParameterizedTest
    @CsvSource({
        "valid, trusted, true",
        "expired, trusted, true",
        "wrong-name, trusted, true",
        "unknown-root, trusted, false",
        "unknown-root, chain_complete, true",
        "missing-intermediate, chain_complete, false",
        "missing-intermediate, trusted, false",
        "wrong-order, chain_order_ok, false",
        "extra-certificates, chain_order_ok, true",
        "duplicate, chain_order_ok, true",
        "self-signed, self_signed, true",
        "wildcard, wildcard, true",
        "valid, wildcard, false",
        "stapled-good, ocsp_stapled, true",
        "stapled-good, must_staple, true",
        "stapled-good, revoked, false",
        "stapled-revoked, revoked, true",
        "ocsp-good, revoked, false",
        "crl-good, revoked, false",
        "valid, must_staple, false",
    })
    void reportsBooleanFields(String server, String field, boolean value) {
        assertThat(fixture.evaluate(server).fields()).containsEntry(field, value);
    }

    @ParameterizedTest
    @CsvSource({
        "timestamps, sct_count, 3",
        "stapled-good, sct_count, 2",
        "rsa-2048, key_bits, 2048",
        "rsa-1024, key_bits, 1024",
        "p-384, key_bits, 384",
        "valid, key_bits, 256",
        "tls-1.0, tls_version, TLSv1",
        "tls-1.2, tls_version, TLSv1.2",
        "tls-1.3, tls_version, TLSv1.3",
        "tls-1.2, post_quantum, false",
        "tls-1.3, post_quantum, true",
        "client-certificate, post_quantum, true",
        "ed25519, key_type, Ed25519",
        "valid, key_type, EC",
        "rsa-2048, key_type, RSA",
        "sha1, signature_algorithm, sha1WithRSAEncryption",
        "md5, signature_algorithm, md5WithRSAEncryption",
        "valid, signature_algorithm, ecdsa-with-SHA256",
        "expiring-soon, days_remaining, 5",
        "expired, days_remaining, -11",
    })
    void reportsOtherFields(String server, String field, String value) {
        assertThat(String.valueOf(fixture.evaluate(server).fields().get(field))).isEqualTo(value);
    }

    /** The TLS engine of the JDK does not support post-quantum groups. BoringSSL does not support Ed25519. */
    @ParameterizedTest
    @CsvSource({"EC, false", "Ed25519,"})
    void reportsTheKeyExchangeOnlyIfItWasOffered(String key, Boolean postQuantum) {
        TestCa.Identity identity =
                fixture.lab.issuer().issue(CertificateSpec.server("127.0.0.1").key(key));
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(identity, TlsServers.ServerOptions.DEFAULT.withJdkProvider());
            Evaluation evaluation = fixture.evaluate("127.0.0.1:" + port, Map.of());
            assertThat(evaluation.fields())
                    .containsEntry("tls_version", "TLSv1.3")
                    .containsEntry("post_quantum", postQuantum);
            assertThat(codes(evaluation).contains("classical_key_exchange")).isEqualTo(postQuantum != null);
        }
    }

    @Test
    void countsRemainingDaysByTheClockOfTheCheck() {
        TlsLab.Server server = fixture.lab.server("valid");
        Instant end = fixture.lab.identity("valid").certificate().getNotAfter().toInstant();
        String target = server.host() + ":" + server.port();
        record Case(Duration before, long days, String problem, String code) {}
        for (Case each : List.of(
                new Case(Duration.ofDays(31), 31, "none", "-"),
                new Case(Duration.ofDays(30), 30, "none", "-"),
                new Case(Duration.ofDays(30).minusSeconds(1), 29, "none", "expiring_soon"),
                new Case(Duration.ofSeconds(1), 0, "none", "expiry_imminent"),
                new Case(Duration.ZERO, 0, "none", "expiry_imminent"),
                new Case(Duration.ofSeconds(-1), -1, "expired", "expired"),
                new Case(Duration.ofDays(-1), -1, "expired", "expired"),
                new Case(Duration.ofDays(-1).minusSeconds(1), -2, "expired", "expired"))) {
            Clock clock = Clock.fixed(end.minus(each.before()), ZoneOffset.UTC);
            Evaluation evaluation =
                    Await.value(fixture.check(target, fixture.context(Map.of()).withClock(clock)));
            assertThat(evaluation.fields())
                    .as(each.toString())
                    .containsEntry("days_remaining", each.days())
                    .containsEntry("problem", each.problem());
            assertThat(codes(evaluation))
                    .filteredOn(code -> code.startsWith("expir"))
                    .isEqualTo(each.code().equals("-") ? List.of() : List.of(each.code()));
        }
    }

    @Test
    void evaluatesTheCertificateForTheServerNameOption() {
        TlsLab.Server server = fixture.lab.server("valid");
        String target = server.host() + ":" + server.port();
        assertThat(fixture.evaluate(target, Map.of()).fields()).containsEntry("problem", "none");
        assertThat(fixture.evaluate(target, Map.of("sni", "other." + TlsLab.DOMAIN))
                        .fields())
                .containsEntry("problem", "hostname_mismatch");
        assertThat(fixture.evaluate(target, Map.of("sni", server.host().toUpperCase(java.util.Locale.ROOT)))
                        .fields())
                .containsEntry("problem", "none");
        assertThat(fixture.evaluate("127.0.0.1:" + server.port(), Map.of()).fields())
                .containsEntry("problem", "hostname_mismatch")
                .containsEntry("trusted", true);
    }

    @Test
    void reportsCertificatesOverTheLimit() {
        TlsLab.Server server = fixture.lab.server("valid");
        TestCa.Identity identity = fixture.lab.identity("valid");
        List<X509Certificate> chain = new ArrayList<>(identity.chain());
        chain.addAll(Collections.nCopies(400, fixture.lab.root().certificate()));
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(
                    identity.withChain(chain.toArray(new X509Certificate[0])), TlsServers.ServerOptions.DEFAULT);
            Evaluation evaluation = fixture.evaluate(server.host() + ":" + port, Map.of());
            assertThat(evaluation.fields()).containsEntry("problem", "none");
            assertThat(codes(evaluation)).contains("too_many_certificates");
        }
    }

    @Test
    void evaluatesACertificateWithoutSubject() {
        Evaluation evaluation = fixture.evaluate("empty-subject");
        assertThat(evaluation.fields())
                .containsEntry("valid", true)
                .containsEntry("subject_cn", null)
                .containsEntry("key_type", "EC")
                .containsEntry("key_bits", 256)
                .containsEntry("sans", List.of("empty-subject." + TlsLab.DOMAIN));
    }

    @Test
    void queriesRevocationOnlyIfRequested() {
        int before = fixture.lab.revocation().requestCount();
        TlsLab.Server server = fixture.lab.server("ocsp-revoked");
        Evaluation evaluation = fixture.evaluate(server.host() + ":" + server.port(), Map.of());
        assertThat(evaluation.fields()).containsEntry("revoked", null).containsEntry("problem", "none");
        assertThat(fixture.lab.revocation().requestCount()).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"16, 2", "180, 1"})
    void usesPostAfterGetOrForLongOcspRequests(int serialBytes, int requests) {
        String host = "serial-" + serialBytes + "." + TlsLab.DOMAIN;
        String path = "/serial-" + serialBytes;
        RevocationLab revocation = fixture.lab.revocation();
        TestCa issuer = fixture.lab.issuer();
        TestCa.Identity identity = issuer.issue(
                CertificateSpec.server(host).serialOfBytes(serialBytes).ocsp(revocation.url(path)));
        revocation.putPostOnly(
                path, () -> RevocationLab.ocsp(issuer, identity.certificate(), RevocationLab.Status.REVOKED));
        fixture.dns.address(host, "127.0.0.1");
        int before = revocation.requestCount();
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(identity, TlsServers.ServerOptions.DEFAULT);
            assertThat(fixture.evaluate(host + ":" + port, Map.of("check_revocation", "true"))
                            .fields())
                    .containsEntry("problem", "revoked");
        }
        assertThat(revocation.requestCount() - before).isEqualTo(requests);
    }

    @Tag("integration")
    @Test
    void acceptsALateOcspResponse() {
        String host = "late." + TlsLab.DOMAIN;
        RevocationLab revocation = fixture.lab.revocation();
        TestCa issuer = fixture.lab.issuer();
        TestCa.Identity identity = issuer.issue(
                CertificateSpec.server(host).ocsp(revocation.url("/late")).crl(revocation.url("/late-list")));
        CountDownLatch listAsked = new CountDownLatch(1);
        revocation.put("/late-list", () -> {
            listAsked.countDown();
            return new byte[0];
        });
        revocation.put("/late", () -> {
            Await.until(() -> listAsked.getCount() == 0);
            return RevocationLab.ocsp(issuer, identity.certificate(), RevocationLab.Status.REVOKED);
        });
        fixture.dns.address(host, "127.0.0.1");
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(identity, TlsServers.ServerOptions.DEFAULT);
            assertThat(fixture.evaluate(host + ":" + port, Map.of("check_revocation", "true"))
                            .fields())
                    .containsEntry("problem", "revoked");
        }
    }

    @Test
    void invalidServerHelloIsNotLogged() {
        Logger netty = (Logger) LoggerFactory.getLogger("io.netty.channel");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        netty.addAppender(lines);
        byte[] hello = new byte[5 + 42];
        System.arraycopy(new byte[] {22, 3, 3, 0, 42, 2, 0, 0, 38, 3, 3}, 0, hello, 0, 11);
        try (TlsServers servers = new TlsServers()) {
            int port = servers.respond(hello);
            for (int i = 0; i < 5; i++) {
                Throwable failure = Await.failure(fixture.check("127.0.0.1:" + port, fixture.context(Map.of())));
                assertThat(failure).isInstanceOf(CheckFailure.class).hasMessageContaining("TLS handshake");
            }
            assertThat(lines.list).isEmpty();
        } finally {
            netty.detachAppender(lines);
        }
    }

    @Test
    void doesNotQueryRevocationForUntrustedChains() {
        int before = fixture.lab.revocation().requestCount();
        String host = "stranger." + TlsLab.DOMAIN;
        fixture.dns.address(host, "127.0.0.1");
        String url = fixture.lab.revocation().url("/stranger");
        TestCa stranger = TestCa.root("Unknown Root");
        TestCa.Identity identity =
                stranger.issue(CertificateSpec.server(host).crl(url).ocsp(url));
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(
                    identity.withChain(identity.certificate(), stranger.certificate()),
                    TlsServers.ServerOptions.DEFAULT);
            Evaluation evaluation = fixture.evaluate(host + ":" + port, Map.of("check_revocation", "true"));
            assertThat(evaluation.fields())
                    .containsEntry("problem", "untrusted_root")
                    .containsEntry("revoked", null);
            assertThat(evaluation.findings()).anySatisfy(finding -> {
                assertThat(finding.code()).isEqualTo("revocation_unknown");
                assertThat(finding.level()).isEqualTo(Level.INFO);
                assertThat(finding.message()).contains("chain is not trusted");
            });
        }
        assertThat(fixture.lab.revocation().requestCount()).isEqualTo(before);
    }

    @Test
    void checksAllAddresses() {
        TlsLab.Server server = fixture.lab.server("valid");
        fixture.dns.address("both." + TlsLab.DOMAIN, "127.0.0.1", "127.0.0.9");
        Evaluation evaluation =
                fixture.evaluate("both." + TlsLab.DOMAIN + ":" + server.port(), Map.of("all_ips", "true"));
        assertThat(evaluation.fields()).containsEntry("ip", "127.0.0.1");
        assertThat(evaluation.findings()).anySatisfy(finding -> {
            assertThat(finding.code()).isEqualTo("address_failed");
            assertThat(finding.message()).contains(" 127.0.0.9");
        });
    }

    @Test
    void reportsCanonicalIpAddresses() {
        TlsLab.Server server = fixture.lab.server("valid");
        fixture.dns.address("six." + TlsLab.DOMAIN, "127.0.0.1", "::1");
        Evaluation evaluation =
                fixture.evaluate("six." + TlsLab.DOMAIN + ":" + server.port(), Map.of("all_ips", "true"));
        assertThat(evaluation.findings())
                .filteredOn(finding -> finding.code().equals("address_failed"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.message()).contains(" ::1."));
    }

    @Test
    void requestLimitIsNotReportedAsAFailureOfTheAddress() {
        TlsLab.Server server = fixture.lab.server("wildcard");
        fixture.dns.address("many." + TlsLab.DOMAIN, "127.0.0.1", "127.0.0.9");
        TestCheckContext context = fixture.context(Map.of("all_ips", "true"));
        for (int i = 0; i < RequestBudget.MAX - 1; i++) {
            assertThat(context.budget().take()).isTrue();
        }
        Evaluation evaluation = Await.value(fixture.check("many." + TlsLab.DOMAIN + ":" + server.port(), context));
        assertThat(evaluation.findings()).extracting(Finding::level).doesNotContain(Level.FAIL);
        assertThat(evaluation.findings())
                .filteredOn(finding -> finding.code().equals("address_not_checked"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.message()).contains(" 127.0.0.9"));
    }

    @Test
    void triesTheNextAddressAfterAConnectionFailure() {
        TlsLab.Server server = fixture.lab.server("wildcard");
        fixture.dns.address("second." + TlsLab.DOMAIN, "127.0.0.9", "127.0.0.1");
        assertThat(fixture.evaluate("second." + TlsLab.DOMAIN + ":" + server.port(), Map.of())
                        .fields())
                .containsEntry("problem", "none")
                .containsEntry("ip", "127.0.0.1");
    }

    @Test
    void reportsAddressesWithADifferentCertificate() {
        String host = "differing." + TlsLab.DOMAIN;
        fixture.dns.address(host, "127.0.0.1", "127.0.0.2");
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(
                    fixture.lab.issuer().issue(CertificateSpec.server(host)), TlsServers.ServerOptions.DEFAULT);
            servers.serve(
                    TestCa.selfSigned(CertificateSpec.server(host)),
                    TlsServers.ServerOptions.DEFAULT,
                    new InetSocketAddress("127.0.0.2", port));
            Evaluation evaluation = fixture.evaluate(host + ":" + port, Map.of("all_ips", "true"));
            assertThat(evaluation.fields()).containsEntry("problem", "none");
            assertThat(codes(evaluation)).contains("address_problem", "address_differs");
            assertThat(evaluation.findings())
                    .filteredOn(finding -> finding.code().startsWith("address"))
                    .allSatisfy(finding -> assertThat(finding.message()).contains("127.0.0.2"));
        }
    }

    @Test
    void distinguishesConnectionRefusedFromNxdomain() throws IOException {
        int closed = FreePorts.next();
        TlsLab.Server server = fixture.lab.server("valid");
        assertThat(code(server.host() + ":" + closed)).isEqualTo("connect_refused");
        assertThat(code("nowhere." + TlsLab.DOMAIN)).isEqualTo("dns_nxdomain");
    }

    private String code(String target) {
        Throwable failure = Await.failure(fixture.check(target, fixture.context(Map.of())));
        return failure instanceof CheckFailure known ? known.error().code().id() : failure.toString();
    }
}
