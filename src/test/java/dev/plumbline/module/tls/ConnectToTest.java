package dev.plumbline.module.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.SheetModule;
import dev.plumbline.config.Config;
import dev.plumbline.egress.LabEgressGuard;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsLab;
import dev.plumbline.lab.TlsLabFixture;
import dev.plumbline.lab.TlsScanFixture;
import dev.plumbline.lab.TlsServers;
import dev.plumbline.probe.tls.TlsPeer;
import dev.plumbline.probe.tls.TlsProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import dev.plumbline.target.Host;
import io.vertx.core.Future;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The option {@code connect_to} of the TLS modules. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConnectToTest {
    private TlsLabFixture fixture;

    @BeforeAll
    void start() {
        fixture = new TlsLabFixture();
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    @Test
    void connectsToTheChosenAddressOfANameWithoutRecords() {
        String host = "future." + TlsLab.DOMAIN;
        TestCa.Identity identity = fixture.lab.issuer().issue(CertificateSpec.server(host));
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(identity, TlsServers.ServerOptions.DEFAULT, new InetSocketAddress("127.0.0.8", 0));
            String target = host + ":" + port;
            for (Map<String, String> options :
                    List.of(Map.of("connect_to", "127.0.0.8"), Map.of("connect_to", "127.0.0.8", "all_ips", "true"))) {
                assertThat(fixture.evaluate(target, options).fields())
                        .containsEntry("problem", "none")
                        .containsEntry("ip", "127.0.0.8");
            }
            assertThat(fixture.evaluate(target, Map.of("connect_to", "127.0.0.8", "sni", "other.test"))
                            .fields())
                    .containsEntry("problem", "hostname_mismatch");
            assertThat(Await.failure(fixture.check(target, fixture.context(Map.of("connect_to", "127.0.0.9")))))
                    .matches(failure -> CheckFailure.hasCode(failure, ErrorCode.CONNECT_REFUSED));
        }
    }

    @Test
    void connectsToTheAddressesOfTheChosenHostname() {
        String host = "moved." + TlsLab.DOMAIN;
        TestCa.Identity identity = fixture.lab.issuer().issue(CertificateSpec.server(host));
        fixture.dns.address("edge.cdn.test", "127.0.0.8");
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(identity, TlsServers.ServerOptions.DEFAULT, new InetSocketAddress("127.0.0.8", 0));
            assertThat(fixture.evaluate(host + ":" + port, Map.of("connect_to", "edge.cdn.test"))
                            .fields())
                    .containsEntry("problem", "none")
                    .containsEntry("ip", "127.0.0.8");
        }
    }

    @Test
    void scansTheChosenAddress() {
        String host = "future." + TlsLab.DOMAIN;
        TestCa.Identity identity = fixture.lab.issuer().issue(CertificateSpec.server(host));
        try (TlsScanFixture scan = TlsScanFixture.start();
                TlsServers servers = new TlsServers()) {
            int port = servers.serve(identity, TlsServers.ServerOptions.DEFAULT, new InetSocketAddress("127.0.0.8", 0));
            CheckResult result = scan.check(
                    SheetModule.load(new TlsProtocols()), host + ":" + port, Map.of("connect_to", "127.0.0.8"), 10_000);
            assertThat(result.error()).isNull();
            assertThat(result.fields()).containsEntry("tls13", true);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, auto, TARGET_BLOCKED",
        "169.254.169.254, auto, TARGET_BLOCKED",
        "::ffff:10.0.0.1, auto, TARGET_BLOCKED",
        "64:ff9b::a00:1, auto, TARGET_BLOCKED",
        "127.0.0.1, 6, INVALID_TARGET",
    })
    void targetPolicyAppliesToTheChosenAddress(String address, String version, ErrorCode code) {
        TlsLab.Server server = fixture.lab.server("valid");
        Throwable failure = Await.failure(fixture.check(
                server.host() + ":" + server.port(),
                fixture.context(Map.of("connect_to", address, "ip_version", version))));
        assertThat(CheckFailure.hasCode(failure, code)).as(failure.toString()).isTrue();
    }

    @Test
    void rateLimitsApplyToTheChosenAddress() {
        Config.OutboundLimit onePerSecond = new Config.OutboundLimit(1, 0);
        TlsProbe probe = new TlsProbe(
                fixture.vertx,
                LabEgressGuard.of(
                        fixture.vertx,
                        HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")),
                        fixture.dns,
                        onePerSecond));
        int port = fixture.lab.server("valid").port();
        List<Future<TlsPeer>> handshakes = List.of("one.test", "two.test", "three.test").stream()
                .map(name -> Await.onLoop(
                        fixture.vertx,
                        () -> probe.handshake(
                                fixture.context(Map.of("connect_to", "127.0.0.1"))
                                        .maxWait(1),
                                new Host(name, null),
                                port,
                                null)))
                .toList();
        Await.value(Future.join(handshakes).otherwiseEmpty());
        assertThat(handshakes).filteredOn(Future::succeeded).hasSize(1);
        assertThat(handshakes).filteredOn(Future::failed).allSatisfy(failed -> assertThat(failed.cause())
                .isInstanceOf(OverloadFailure.class));
    }
}
