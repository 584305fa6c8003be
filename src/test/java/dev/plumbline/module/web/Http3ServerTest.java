package dev.plumbline.module.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.UdpServer;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.support.CapturedLog;
import dev.plumbline.support.QuicGoServer;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/3 with a server of quic-go. */
@Tag("integration")
class Http3ServerTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<HttpVersions.Evidence> MODULE = SheetModule.load(new HttpVersions());

    /** The type of the control stream, and a frame without settings. */
    private static final String EMPTY_SETTINGS = "000400";

    /** A frame of headers with the entry 25 of the static table (RFC 9204, appendix A). */
    private static final String STATUS_200 = "01030000d9";

    @TempDir
    static Path programs;

    private static Path program;
    private static HttpProbe probe;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() throws Exception {
        program = QuicGoServer.build(programs);
        probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
    }

    private static CheckResult check(String url, String query) {
        CheckResult result = FIXTURE.check(MODULE, probe, url, query);
        assertThat(result.error()).isNull();
        return result;
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }

    /** The port is that of the server for TCP, on which no QUIC server listens. */
    private QuicGoServer withoutHttp3(int port, String altSvc) throws Exception {
        return QuicGoServer.start(program, folder, FIXTURE.identity(), FIXTURE.identity(), port, 0, altSvc);
    }

    /** More than the probe accepts. */
    private static List<byte[]> flood() {
        return Collections.nCopies(200, new byte[1_200]);
    }

    @Test
    void connectsToAnAdvertisedServer() throws Exception {
        int port = FreePorts.next();
        try (QuicGoServer server = QuicGoServer.start(
                program,
                folder,
                FIXTURE.identity(),
                FIXTURE.identity(),
                port,
                port,
                "h3=\":" + port + "\"; ma=60, h3=\"other.test:443\"")) {
            // the second connection does not resume the session of the first
            for (int check = 0; check < 2; check++) {
                CheckResult result = check(server.url(), "");

                assertThat(result.fields()).containsEntry("http3", true).containsEntry("http3_advertised", true);
                assertThat(result.findings()).isEmpty();
            }
        }
    }

    /** The decoder of Netty throws an exception for each packet of such a frame. */
    @Test
    void ignoresFramesOfReservedTypes() throws Exception {
        String frame = "213f" + "78".repeat(63) + "214bb8" + "78".repeat(3_000);
        try (CapturedLog log = new CapturedLog();
                QuicGoServer server = sending(EMPTY_SETTINGS + frame, frame + STATUS_200)) {
            CheckResult result = check(server.url(), "");

            assertThat(result.fields()).containsEntry("http3", true);
            assertThat(result.findings()).isEmpty();
            assertThat(log.text()).doesNotContain("exceptionCaught");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            0004000400| 01030000d9 | The HTTP/3 response is not valid: H3_FRAME_UNEXPECTED.
            000400| 01040000d9db | The headers of the HTTP/3 response are not valid.
            000400| 01020000 | The headers of the HTTP/3 response are not valid.
            000400| 010800005f0903393939 | The status code of the HTTP/3 response is not a number from 100 to 599.
            000400| '' | The HTTP/3 stream ended without a response.
            """)
    void reportsAViolationOfTheProtocol(String control, String response, String message) throws Exception {
        try (CapturedLog log = new CapturedLog();
                QuicGoServer server = sending(control.replace(" ", ""), response.replace(" ", ""))) {
            CheckResult result = check(server.url(), "");

            assertThat(result.fields()).containsEntry("http3", false);
            assertThat(codes(result)).containsExactly("http3_broken");
            assertThat(result.findings().get(0).message()).contains(message);
            assertThat(log.text()).doesNotContain("exceptionCaught");
        }
    }

    private QuicGoServer sending(String control, String response) throws Exception {
        return QuicGoServer.startSending(program, folder, FIXTURE.identity(), control, response);
    }

    @Test
    void connectsToTheChosenAddress() throws Exception {
        int port = FreePorts.next();
        TestCa.Identity identity = FIXTURE.identity("future.test");
        try (QuicGoServer server =
                QuicGoServer.start(program, folder, identity, identity, port, port, "h3=\":" + port + "\"")) {
            CheckResult result = check("https://future.test:" + port + "/", "connect_to=127.0.0.1");

            assertThat(server.url()).contains(":" + port);
            assertThat(result.fields()).containsEntry("http3", true).containsEntry("http3_advertised", true);
        }
    }

    @Test
    void reportsAServerThatIsNotAdvertised() throws Exception {
        try (QuicGoServer server = QuicGoServer.start(program, folder, FIXTURE.identity(), null)) {
            CheckResult result = check(server.url(), "");

            assertThat(result.fields()).containsEntry("http3", true).containsEntry("http3_advertised", false);
            assertThat(codes(result)).containsExactly("http3_not_advertised");
        }
    }

    @Test
    void usesTheAdvertisedPort() throws Exception {
        int port = FreePorts.next();
        int other = FreePorts.next();
        try (QuicGoServer server = QuicGoServer.start(
                program, folder, FIXTURE.identity(), FIXTURE.identity(), port, other, "h3=\":" + other + "\"")) {
            assertThat(check(server.url(), "").fields()).containsEntry("http3", true);
        }
    }

    @Test
    void reportsAClosedPort() throws Exception {
        int port = FreePorts.next();
        try (QuicGoServer server = withoutHttp3(port, "h3=\":" + port + "\"")) {
            // a firewall of the operator could reject all packets
            CheckResult unknown = check(server.url(), "");
            assertThat(unknown.fields()).containsEntry("http3", null);
            assertThat(codes(unknown)).containsExactly("http3_not_tested");
            assertThat(unknown.findings().get(0).message()).contains("a firewall of this service can be the cause");

            try (UdpServer responding = UdpServer.start(port, data -> flood())) {
                assertThat(check(server.url(), "").fields()).containsEntry("http3", false);
                assertThat(responding.received()).isPositive();
            }
            CheckResult result = check(server.url(), "");

            assertThat(result.fields()).containsEntry("http3", false).containsEntry("http3_advertised", true);
            assertThat(codes(result)).containsExactly("http3_broken");
            assertThat(result.findings().get(0).message()).contains("UDP port " + port + " of 127.0.0.1 is closed");
        }
    }

    @Test
    void doesNotConcludeAnythingFromSilence() throws Exception {
        int port = FreePorts.next();
        try (QuicGoServer server = withoutHttp3(port, null);
                UdpServer silent = UdpServer.start(port, data -> List.of())) {
            long start = System.nanoTime();
            CheckResult result = check(server.url(), "");

            assertThat((System.nanoTime() - start) / 1_000_000).isBetween(500L, 3_000L);
            assertThat(silent.received()).isPositive();
            assertThat(result.fields()).containsEntry("http3", null);
            assertThat(codes(result)).containsExactly("http3_missing");
        }
    }

    @Test
    void reportsAnAdvertisedServerThatIsSilent() throws Exception {
        int port = FreePorts.next();
        AtomicBoolean silent = new AtomicBoolean();
        try (QuicGoServer server = withoutHttp3(port, "h3=\":" + port + "\"");
                UdpServer udp = UdpServer.start(port, data -> silent.get() ? List.of() : flood())) {
            check(server.url(), "");
            silent.set(true);
            int before = udp.received();
            CheckResult result = check(server.url(), "");

            assertThat(udp.received() - before).isGreaterThan(1);
            assertThat(result.fields()).containsEntry("http3", null);
            assertThat(codes(result)).containsExactly("http3_broken");
            // not if the deadline of the check is the reason
            assertThat(codes(check(server.url(), "timeout_ms=2000"))).containsExactly("http3_not_tested");
        }
    }

    @Test
    void reportsAnUntrustedCertificate() throws Exception {
        int port = FreePorts.next();
        TestCa.Identity unknown =
                TestCa.selfSigned(CertificateSpec.server("lab.test").address("127.0.0.1"));
        try (QuicGoServer server =
                QuicGoServer.start(program, folder, FIXTURE.identity(), unknown, port, port, "h3=\":" + port + "\"")) {
            CheckResult result = check(server.url(), "");

            assertThat(result.fields()).containsEntry("http3", false);
            assertThat(codes(result)).containsExactly("http3_broken");
        }
    }

    /** The interval of lost datagrams in both directions; 0 is the first in each. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3})
    void completesDespitePacketLoss(int interval) throws Exception {
        int port = FreePorts.next();
        int behind = FreePorts.next();
        try (QuicGoServer server = QuicGoServer.start(
                        program, folder, FIXTURE.identity(), FIXTURE.identity(), port, behind, "h3=\":" + port + "\"");
                UdpServer proxy = UdpServer.proxy(
                        port, behind, (number, sent) -> interval == 0 ? number == 1 : number % interval == 0)) {
            CheckResult result = check(server.url(), "");

            assertThat(result.fields()).containsEntry("http3", true);
            assertThat(proxy.received()).isGreaterThan(2);
            assertThat(result.findings()).isEmpty();
        }
    }

    /** The native library once sent packets without end if the handshake was not confirmed before the end. */
    @ParameterizedTest
    @ValueSource(ints = {8, 11, 19, 21, 23, 28, 30, 39})
    void endsDespiteRandomLoss(int seed) throws Exception {
        int port = FreePorts.next();
        int behind = FreePorts.next();
        Random random = new Random(seed);
        try (QuicGoServer server = QuicGoServer.start(
                        program, folder, FIXTURE.identity(), FIXTURE.identity(), port, behind, "h3=\":" + port + "\"");
                UdpServer proxy = UdpServer.proxy(port, behind, (number, sent) -> random.nextInt(10) < 4)) {
            CheckResult result = check(server.url(), "");

            assertThat(result.error()).isNull();
            assertThat(proxy.received()).isLessThan(200);
        }
    }

    @Test
    void doesNotContactOtherHosts() throws Exception {
        int port = FreePorts.next();
        try (UdpServer other = UdpServer.start(0, data -> List.of());
                QuicGoServer server = withoutHttp3(port, "h3=\"localhost:" + other.port() + "\"")) {
            CheckResult result = check(server.url(), "");

            assertThat(result.fields()).containsEntry("http3", null).containsEntry("http3_advertised", true);
            assertThat(codes(result)).containsExactly("http3_not_tested");
            assertThat(other.received()).isZero();
        }
    }
}
