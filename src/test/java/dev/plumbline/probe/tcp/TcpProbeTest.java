package dev.plumbline.probe.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.egress.LabEgressGuard;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import dev.plumbline.support.Canary;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Host;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class TcpProbeTest {
    private static final InetAddress LOOPBACK = IpAddressText.parse("127.0.0.1");
    private static final Host HOST = new Host("127.0.0.1", LOOPBACK);
    private static final TcpProbe.Script LISTEN = heard -> Buffer.buffer();

    private static Vertx vertx;
    private static DnsLab dns;
    private static TcpProbe probe;

    @BeforeAll
    static void start() {
        vertx = Vertx.vertx();
        dns = DnsLab.start();
        probe = probe(List.of("127.0.0.0/8"));
    }

    @AfterAll
    static void stop() {
        Await.value(vertx.close());
        dns.close();
    }

    private static TcpProbe probe(List<String> allow) {
        TargetPolicy policy = new TargetPolicy(
                new TargetPolicy.Rules(allow, List.of(), List.of(), List.of("*")), (address, port) -> false);
        return new TcpProbe(vertx, LabEgressGuard.of(vertx, policy, dns));
    }

    private static int serve(Handler<NetSocket> connectionHandler) {
        NetServer server = vertx.createNetServer().connectHandler(connectionHandler);
        return Await.value(server.listen(0, "127.0.0.1")).actualPort();
    }

    private static Future<TcpProbe.Exchange> exchange(int port, long readMillis, TcpProbe.Script script) {
        return Await.onLoop(
                vertx,
                () -> probe.exchange(TestCheckContext.create(), HOST, LOOPBACK, port, 2_000, readMillis, script));
    }

    @Test
    void sendsTheDataOfTheScript() {
        int port = serve(socket -> {
            socket.write("hello\r\n");
            socket.handler(bytes -> socket.write("received " + bytes));
        });

        TcpProbe.Exchange exchange = Await.value(exchange(port, 5_000, heard -> switch (heard.toString()
                .replaceAll("[^\n]", "")
                .length()) {
            case 0 -> Buffer.buffer();
            case 1 -> Buffer.buffer("name\r\n");
            default -> null;
        }));

        assertThat(exchange.received().toString()).isEqualTo("hello\r\nreceived name\r\n");
        assertThat(exchange.connectMs()).isPositive();
    }

    @Test
    void closesTheConnectionIfTheScriptReturnsNull() {
        int port = serve(socket -> {});

        assertThat(Await.value(exchange(port, 60_000, TcpProbe.Script.NONE))
                        .received()
                        .length())
                .isZero();
    }

    @Test
    void limitsReceivedBytesAndDuration() {
        int flood = serve(socket -> socket.write(Buffer.buffer(new byte[1_000_000])));
        int silent = serve(socket -> {});
        int closing = serve(socket -> socket.end(Buffer.buffer("bye")));

        assertThat(Await.value(exchange(flood, 60_000, LISTEN)).received().length())
                .isEqualTo(TcpProbe.MAX_BYTES);
        assertThat(Await.value(exchange(silent, 100, LISTEN)).received().length())
                .isZero();
        assertThat(Await.value(exchange(closing, 60_000, LISTEN)).received().toString())
                .isEqualTo("bye");
    }

    @Test
    void reportsWhyTheConnectionFailed() throws IOException {
        int closed = FreePorts.next();

        assertCode(exchange(closed, 100, LISTEN), ErrorCode.CONNECT_REFUSED);
        assertCode(
                probe.exchange(TestCheckContext.create().withDeadline(10), HOST, LOOPBACK, closed, 100, 100, LISTEN),
                ErrorCode.DEADLINE_EXCEEDED);
    }

    @Test
    void connectsThroughTheEgressGuardOnly() {
        Canary canary = Await.value(Canary.listen(vertx, "127.0.0.1", 0));

        assertCode(
                probe(List.of()).exchange(TestCheckContext.create(), HOST, LOOPBACK, canary.port(), 100, 100, LISTEN),
                ErrorCode.TARGET_BLOCKED);
        assertThat(canary.connections()).isZero();
    }

    private static void assertCode(Future<?> future, ErrorCode code) {
        assertThat(Await.failure(future)).isInstanceOfSatisfying(CheckFailure.class, failure -> assertThat(
                        failure.error().code())
                .isEqualTo(code));
    }
}
