package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.UdpServer;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import dev.plumbline.support.SilentQuicServer;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.IpAddressText;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Servers that do not support HTTP/3. {@code Http3ServerTest} has one that does. */
class Http3ConnectionTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final long DEADLINE_MS = 10_000;

    private static HttpProbe probe;

    @BeforeAll
    static void start() {
        probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
    }

    /** The error of a request to an advertised server. */
    private static CheckError error(int port, long deadlineMs) {
        return ((CheckFailure) Await.failure(send(port, true, deadlineMs))).error();
    }

    /** The outcome of a request, after which no memory is reserved and no socket is open. */
    private static Future<Optional<Integer>> send(int port, boolean advertised, long deadlineMs) {
        MemoryBudget budget = new MemoryBudget(FIXTURE.vertx(), 1 << 20, 1);
        TestCheckContext context =
                TestCheckContext.create().withDeadline(deadlineMs).withMemory(budget.open("a", 1 << 20));
        Future<Optional<Integer>> status = Await.onLoop(
                FIXTURE.vertx(),
                () -> probe.sendHttp3(
                        context,
                        FIXTURE.url("https://127.0.0.1:" + port + "/"),
                        IpAddressText.of("127.0.0.1"),
                        port,
                        advertised));
        Await.until(status::isComplete);
        assertThat(budget.held()).isZero();
        // a selector closes a socket in its next round
        Await.until(() -> connectedTo(port) == 0);
        return status;
    }

    /** The number of UDP sockets that are connected to a port. */
    private static long connectedTo(int port) {
        String remote = String.format(Locale.ROOT, "0100007F:%04X", port);
        String mapped = String.format(Locale.ROOT, "0000000000000000FFFF00000100007F:%04X", port);
        long sockets = 0;
        for (String table : List.of("/proc/self/net/udp", "/proc/self/net/udp6")) {
            for (String line : lines(Path.of(table))) {
                String[] columns = line.strip().split(" +", 4);
                sockets += columns[2].equals(remote) || columns[2].equals(mapped) ? 1 : 0;
            }
        }
        return sockets;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static long millisSince(long start) {
        return (System.nanoTime() - start) / 1_000_000;
    }

    /** Receives a packet from a port, so that it is known that UDP is not blocked. */
    private static void receiveFrom(UdpServer server) {
        int before = server.received();
        error(server.port(), DEADLINE_MS);
        assertThat(server.received()).isGreaterThan(before);
    }

    @Test
    void reportsAClosedPort() throws IOException {
        int port = FIXTURE.closedPort();
        try (UdpServer server = UdpServer.start(port, data -> List.of(versionNegotiation(data)))) {
            receiveFrom(server);
        }
        long start = System.nanoTime();
        CheckError error = error(port, DEADLINE_MS);

        assertThat(error.code()).as(error.message()).isEqualTo(ErrorCode.CONNECT_REFUSED);
        assertThat(millisSince(start)).isLessThan(4_000);
    }

    @Test
    void waitsForAServerThatNeverResponds() throws IOException {
        AtomicBoolean silent = new AtomicBoolean();
        try (UdpServer server =
                UdpServer.start(0, data -> silent.get() ? List.of() : List.of(versionNegotiation(data)))) {
            receiveFrom(server);
            silent.set(true);
            int before = server.received();
            long start = System.nanoTime();
            CheckError error = error(server.port(), DEADLINE_MS);

            assertThat(error.code()).isEqualTo(ErrorCode.READ_TIMEOUT);
            assertThat(error.message()).contains("did not respond to QUIC", "4 seconds");
            assertThat(millisSince(start)).isBetween(4_000L, 6_000L);
            assertThat(server.received() - before).isBetween(2, 10);
        }
    }

    /** A firewall of the operator can drop or reject all UDP packets. */
    @Test
    void isNotAFailureOfTheServerIfNoServerEverResponded() throws IOException {
        int closed = FIXTURE.closedPort();
        CheckError rejected = error(closed, DEADLINE_MS);

        assertThat(rejected.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(rejected.message())
                .isEqualTo(
                        "UDP port %d of 127.0.0.1 is closed. No server responded to this node on UDP port %d over IPv4 in the"
                                        .formatted(closed, closed)
                                + " last hour, so a firewall of this service can be the cause.");
        try (UdpServer server = UdpServer.start(0, data -> List.of())) {
            CheckError silent = error(server.port(), DEADLINE_MS);

            assertThat(silent.code()).isEqualTo(ErrorCode.INTERNAL);
            assertThat(silent.message())
                    .contains("did not respond to QUIC", "a firewall of this service can be the cause");
        }
    }

    /** Without SO_BROADCAST, the system rejects the broadcast address, and no packet is sent. */
    @Test
    void aPacketThatThisNodeCannotSendIsNotAFailureOfTheServer() {
        HttpProbe broadcast = FIXTURE.probe(HttpFixture.policy(List.of("255.255.255.255/32"), List.of("*")));
        CheckFailure failure = (CheckFailure) Await.failure(Await.onLoop(
                FIXTURE.vertx(),
                () -> broadcast.sendHttp3(
                        TestCheckContext.create(),
                        FIXTURE.url("https://lab.test/"),
                        IpAddressText.of("255.255.255.255"),
                        443,
                        true)));

        assertThat(failure.error().code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(failure.error().message()).startsWith("This node cannot send UDP packets to 255.255.255.255:443: ");
    }

    /** The idle timeout of a connection is the shorter one of both sides. */
    @Test
    void anIdleTimeoutOfTheServerIsNotAClosedConnection() throws Exception {
        try (SilentQuicServer server = SilentQuicServer.start(FIXTURE.identity(), Duration.ofMillis(300))) {
            long start = System.nanoTime();
            CheckError error = error(server.port(), DEADLINE_MS);

            assertThat(error.code()).as(error.message()).isEqualTo(ErrorCode.READ_TIMEOUT);
            assertThat(error.message()).contains("reached its idle timeout");
            assertThat(millisSince(start)).isLessThan(3_500);
        }
    }

    @Test
    void waitsHalfASecondIfHttp3IsNotAdvertised() throws IOException {
        try (UdpServer server = UdpServer.start(0, data -> List.of())) {
            long start = System.nanoTime();

            assertThat(Await.value(send(server.port(), false, DEADLINE_MS))).isEmpty();
            assertThat(millisSince(start)).isBetween(500L, 3_000L);
            assertThat(server.received()).isPositive();
        }
    }

    @Test
    void endsAtTheDeadlineOfTheCheck() throws IOException {
        try (UdpServer server = UdpServer.start(0, data -> List.of())) {
            long start = System.nanoTime();
            CheckError error = error(server.port(), 400);

            assertThat(error.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
            assertThat(millisSince(start)).isLessThan(3_000);
        }
    }

    @Test
    void reportsAVersionNegotiation() throws IOException {
        try (UdpServer server = UdpServer.start(0, data -> List.of(versionNegotiation(data)))) {
            CheckError error = error(server.port(), DEADLINE_MS);

            assertThat(error.code()).isEqualTo(ErrorCode.HTTP_PROTOCOL_ERROR);
            assertThat(error.message()).contains("does not support version 1 of QUIC");
        }
    }

    @Test
    void limitsWhatAServerSends() throws IOException {
        try (UdpServer server = UdpServer.start(0, data -> Collections.nCopies(200, new byte[1_200]))) {
            CheckError error = error(server.port(), DEADLINE_MS);

            assertThat(error.code()).isEqualTo(ErrorCode.HTTP_PROTOCOL_ERROR);
            assertThat(error.message()).contains("128 KiB");
        }
    }

    @Test
    void contactsOnlyAllowedPorts() throws IOException {
        try (UdpServer server = UdpServer.start(0, data -> List.of())) {
            HttpProbe strict = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("443")));
            CheckFailure failure = (CheckFailure) Await.failure(Await.onLoop(
                    FIXTURE.vertx(),
                    () -> strict.sendHttp3(
                            TestCheckContext.create(),
                            FIXTURE.url("https://127.0.0.1/"),
                            IpAddressText.of("127.0.0.1"),
                            server.port(),
                            true)));

            assertThat(failure.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
            assertThat(server.received()).isZero();
        }
    }

    /** A Version Negotiation packet (RFC 9000 section 17.2.1) with a reserved version. */
    private static byte[] versionNegotiation(byte[] initial) {
        int destination = initial[5];
        int source = initial[6 + destination];
        return ByteBuffer.allocate(11 + destination + source)
                .put((byte) 0xC0)
                .putInt(0)
                .put((byte) source)
                .put(initial, 7 + destination, source)
                .put((byte) destination)
                .put(initial, 6, destination)
                .putInt(0x1A2A3A4A)
                .array();
    }
}
