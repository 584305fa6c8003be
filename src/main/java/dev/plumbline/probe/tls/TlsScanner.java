package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.egress.ConnectErrors;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.target.Host;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Scans the TLS versions, cipher suites, groups and application protocols of a server by many short ClientHello
 * exchanges.
 */
public final class TlsScanner {
    /** The maximum number of connections of a scan for all cipher suites. */
    public static final int MAX_REQUESTS = 200;

    /** The maximum number of addresses, because a hostile name can list addresses of others. */
    private static final int MAX_ADDRESSES = 4;

    private final Vertx vertx;
    private final EgressGuard guard;
    private final TlsScanProbes probes;

    /** @param handshakes tests application protocols of TLS 1.3, which need full handshakes */
    public TlsScanner(Vertx vertx, EgressGuard guard, TlsProbe handshakes) {
        this.vertx = vertx;
        this.guard = guard;
        PeerConnector connector = new PeerConnector(vertx, guard);
        this.probes = new TlsScanProbes(
                new ClientHelloProbe(vertx, connector),
                handshakes,
                new EncryptedMessagesProbe(vertx, connector),
                new RenegotiationProbe(vertx, connector));
    }

    /**
     * Scans the first address of a host that accepts a connection. Call it on an event loop.
     *
     * @param preambles creates the exchange before TLS of each connection; null for TLS from the start
     * @return fails with a {@link CheckFailure} if the server supports no TLS version
     */
    public Future<TlsScanReport> scan(
            CheckContext context,
            Host host,
            int port,
            TlsScanScope scope,
            @Nullable Supplier<? extends TlsProbe.Preamble> preambles) {
        return guard.resolve(context, host, port, MAX_ADDRESSES)
                .compose(addresses -> scanNext(
                        context, host, port, scope, preambles == null ? () -> TlsProbe.NONE : preambles, addresses));
    }

    private Future<TlsScanReport> scanNext(
            CheckContext context,
            Host host,
            int port,
            TlsScanScope scope,
            Supplier<? extends TlsProbe.Preamble> preambles,
            List<InetAddress> addresses) {
        PeerConnector.Peer peer = new PeerConnector.Peer(host, addresses.get(0), port, preambles);
        ClientHelloScheduler scheduler =
                new ClientHelloScheduler(vertx, probes.clientHello(), context, peer, addresses.size());
        return new TlsScanSession(scheduler, probes, scope)
                .scan()
                .recover(failure -> addresses.size() > 1 && ConnectErrors.isConnectFailure(failure)
                        ? scanNext(context, host, port, scope, preambles, addresses.subList(1, addresses.size()))
                        : Future.failedFuture(failure));
    }
}
