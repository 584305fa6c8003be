package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.target.Host;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import java.net.InetAddress;
import java.util.function.Function;
import java.util.function.Supplier;

/** Opens connections for the exchanges of a TLS scan. */
final class PeerConnector {
    private final EgressGuard guard;
    private final NetClient client;

    PeerConnector(Vertx vertx, EgressGuard guard) {
        this.guard = guard;
        this.client =
                vertx.createNetClient(new NetClientOptions().setTcpNoDelay(true).setReconnectAttempts(0));
    }

    /**
     * One address of a host.
     *
     * @param preambles creates the exchange before TLS of each connection
     */
    record Peer(Host host, InetAddress address, int port, Supplier<? extends TlsProbe.Preamble> preambles) {}

    /**
     * Performs an exchange over a new connection, after its preamble, and closes the connection.
     *
     * @param millis the timeout of the connect, and of the preamble
     * @return the result of the exchange; fails with a {@link CheckFailure} if the connection does not open
     */
    <T> Future<T> dial(CheckContext context, Peer peer, long millis, Function<NetSocket, Future<T>> exchange) {
        return guard.dial(context, peer.host(), peer.address(), peer.port(), remote -> guard.connect(
                        client,
                        remote,
                        peer.address(),
                        Math.min(millis, context.deadline().remainingMillis()))
                .compose(socket -> peer.preambles()
                        .get()
                        .run(socket, Math.min(millis, context.deadline().remainingMillis()))
                        .compose(ready -> exchange.apply(socket))
                        .eventually(() -> socket.close().otherwiseEmpty())));
    }
}
