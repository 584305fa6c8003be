package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.concurrent.CurrentSpan;
import dev.plumbline.egress.ConnectErrors;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Host;
import dev.plumbline.tls.CertificateParser;
import dev.plumbline.tls.TlsVersion;
import dev.plumbline.trace.Span;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Full TLS handshakes with targets, without session resumption and without evaluation of certificates. Signed
 * certificate timestamps in the TLS extension are not requested, because neither engine supports it.
 */
public final class TlsProbe {
    /** The time reserved for the report, in milliseconds. */
    private static final long RESERVE_MILLIS = 100;

    /** A plaintext exchange over a new connection, before the handshake. */
    @FunctionalInterface
    public interface Preamble {
        /**
         * Sets the handlers of the socket. The caller closes it.
         *
         * @param millis the time limit
         * @return completes when the handshake can start; fails with a {@link CheckFailure}
         */
        Future<Void> run(NetSocket socket, long millis);
    }

    static final Preamble NONE = (socket, millis) -> Future.succeededFuture();

    private final EgressGuard guard;
    private final NetClient client;
    private final List<TlsHandshake> engines;
    private final ConcurrentMap<String, List<TlsHandshake>> enginesByProtocol = new ConcurrentHashMap<>();
    private final Vertx vertx;

    /** @throws IllegalStateException if no TLS engine is available */
    public TlsProbe(Vertx vertx, EgressGuard guard) {
        this.vertx = vertx;
        this.guard = guard;
        this.client = vertx.createNetClient(new NetClientOptions().setTcpNoDelay(true));
        this.engines = newEngines(vertx, List.of());
    }

    /** The addresses of a host to connect to; see {@link EgressGuard#resolve}. */
    public Future<List<InetAddress>> addresses(CheckContext context, Host host, int port) {
        return guard.resolve(context, host, port);
    }

    /**
     * Performs a handshake with the first address of a host that accepts a connection.
     *
     * @param serverName the SNI; null for the name of the host. Addresses and names without a dot are not sent (RFC
     *     6066 section 3).
     * @return the data of the peer; fails with a {@link CheckFailure} if it sent no certificate
     */
    public Future<TlsPeer> handshake(CheckContext context, Host host, int port, @Nullable String serverName) {
        return handshake(context, host, port, serverName, NONE);
    }

    /** As {@link #handshake(CheckContext, Host, int, String)}, after an exchange over each connection. */
    public Future<TlsPeer> handshake(
            CheckContext context, Host host, int port, @Nullable String serverName, Preamble preamble) {
        return addresses(context, host, port)
                .compose(addresses -> handshakeNext(context, host, addresses, port, serverName, preamble));
    }

    private Future<TlsPeer> handshakeNext(
            CheckContext context,
            Host host,
            List<InetAddress> addresses,
            int port,
            @Nullable String serverName,
            Preamble preamble) {
        long share = Math.max(remainingMillis(context) / addresses.size(), 1_000);
        return handshake(new Endpoint(context, host, addresses.get(0), port, sni(host, serverName), share, preamble))
                .recover(failure -> addresses.size() > 1
                                && ConnectErrors.isConnectFailure(failure)
                                && remainingMillis(context) > 0
                        ? handshakeNext(
                                context, host, addresses.subList(1, addresses.size()), port, serverName, preamble)
                        : Future.failedFuture(failure));
    }

    /** Performs a handshake with one address of a host, as {@link #handshake} does. */
    public Future<TlsPeer> handshakeWith(
            CheckContext context, Host host, InetAddress address, int port, @Nullable String serverName) {
        return handshake(
                new Endpoint(context, host, address, port, sni(host, serverName), remainingMillis(context), NONE));
    }

    private static String sni(Host host, @Nullable String serverName) {
        return serverName == null ? host.name() : serverName;
    }

    /**
     * Whether a server accepts this application protocol (RFC 7301) as the only offer. Fails if the handshake fails for
     * another reason.
     */
    Future<Boolean> supportsAlpn(CheckContext context, PeerConnector.Peer peer, String protocol) {
        List<TlsHandshake> handshakes =
                enginesByProtocol.computeIfAbsent(protocol, missing -> newEngines(vertx, List.of(missing)));
        Endpoint endpoint = new Endpoint(
                context,
                peer.host(),
                peer.address(),
                peer.port(),
                peer.host().name(),
                remainingMillis(context),
                (socket, millis) -> peer.preambles().get().run(socket, millis));
        return NoSharedAlgorithms.withFallback(handshakes, engine -> dial(endpoint, engine))
                .map(accepted -> protocol.equals(accepted.alpn()))
                .recover(failure -> TlsErrors.isAlpnRejection(failure)
                        ? Future.succeededFuture(false)
                        : Future.failedFuture(failure));
    }

    /** @param alpn the application protocols to offer; empty to omit the extension */
    private static List<TlsHandshake> newEngines(Vertx vertx, List<String> alpn) {
        TlsHandshake jdk = TlsHandshake.jdk(vertx, alpn);
        return TlsClientOptions.nativeEngine() ? List.of(TlsHandshake.boringSsl(alpn), jdk) : List.of(jdk);
    }

    private Future<TlsPeer> handshake(Endpoint endpoint) {
        return NoSharedAlgorithms.withFallback(engines, handshake -> dial(endpoint, handshake))
                .recover(failure -> TlsErrors.isRejection(failure)
                        ? readCertificates(endpoint, ((CheckFailure) failure).error())
                        : Future.failedFuture(failure));
    }

    /** Reads the certificates that made the handshake fail, without a handshake. */
    private Future<TlsPeer> readCertificates(Endpoint endpoint, CheckError error) {
        CheckContext context = endpoint.context();
        String name = endpoint.serverName().indexOf('.') > 0 && endpoint.host().literal() == null
                ? endpoint.serverName()
                : null;
        ClientHello hello = ClientHello.of(TlsVersion.TLS_1_2, name);
        CertificateMessageReader reader = new CertificateMessageReader();
        return dial(endpoint, socket -> ClientHelloProbe.<List<byte[]>>send(
                                vertx, socket, hello, remainingMillis(context), reader::read, end -> List.of())
                        .compose(encoded -> context.executeBlocking(() -> CertificateParser.parseAny(encoded))
                                .map(certificates -> new TlsPeer(
                                        endpoint.address(),
                                        certificates,
                                        encoded.size(),
                                        null,
                                        null,
                                        -1,
                                        null,
                                        null,
                                        false,
                                        error))))
                .recover(unreadable -> Future.failedFuture(
                        unreadable instanceof OverloadFailure
                                        || CheckFailure.hasCode(unreadable, ErrorCode.RESPONSE_TOO_LARGE)
                                ? unreadable
                                : new CheckFailure(error.code(), error.message())));
    }

    private record Endpoint(
            CheckContext context,
            Host host,
            InetAddress address,
            int port,
            String serverName,
            long connectMillis,
            Preamble preamble) {}

    private Future<TlsPeer> dial(Endpoint endpoint, TlsHandshake handshake) {
        CheckContext context = endpoint.context();
        return dial(
                endpoint,
                socket -> CurrentSpan.record(
                        "TLS handshake",
                        Span.Kind.CLIENT,
                        () -> handshake.start(
                                context, socket, endpoint.serverName(), endpoint.address(), remainingMillis(context))));
    }

    /** @param exchange runs after the preamble */
    private Future<TlsPeer> dial(Endpoint endpoint, Function<NetSocket, Future<TlsPeer>> exchange) {
        CheckContext context = endpoint.context();
        return guard.dial(context, endpoint.host(), endpoint.address(), endpoint.port(), remote -> {
            long timeoutMillis = Math.min(remainingMillis(context), endpoint.connectMillis());
            return guard.connect(client, remote, endpoint.address(), timeoutMillis)
                    .compose(socket -> endpoint.preamble()
                            .run(socket, remainingMillis(context))
                            .compose(ready -> exchange.apply(socket))
                            .eventually(() -> socket.close().otherwiseEmpty()))
                    .compose(peer -> context.reserve(CertificateMemory.bytesOf(peer.certificates()))
                            .map(peer));
        });
    }

    private static long remainingMillis(CheckContext context) {
        return context.deadline().remainingMillis() - RESERVE_MILLIS;
    }
}
