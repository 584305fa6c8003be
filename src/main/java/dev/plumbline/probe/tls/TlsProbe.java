package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.egress.ConnectErrors;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Host;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.tls.CertificateParser;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
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

    private static final Preamble NONE = (socket, millis) -> Future.succeededFuture();

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

    /**
     * The addresses of a host to connect to, or the address of the option {@code connect_to}; see
     * {@link EgressGuard#resolve}.
     */
    public Future<List<InetAddress>> addresses(CheckContext context, Host host, int port) {
        InetAddress chosen = context.options().connectTo();
        return guard.resolve(context, chosen == null ? host : new Host(IpAddressText.format(chosen), chosen), port);
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
        long share = remainingMillis(context) / addresses.size();
        Future<TlsPeer> first =
                handshakeWith(context, host, addresses.get(0), port, serverName, Math.max(share, 1_000), preamble);
        if (addresses.size() == 1) {
            return first;
        }
        return first.recover(failure -> ConnectErrors.isConnectFailure(failure) && remainingMillis(context) > 0
                ? handshakeNext(context, host, addresses.subList(1, addresses.size()), port, serverName, preamble)
                : Future.failedFuture(failure));
    }

    /** Performs a handshake with one address of a host, as {@link #handshake} does. */
    public Future<TlsPeer> handshakeWith(
            CheckContext context, Host host, InetAddress address, int port, @Nullable String serverName) {
        return handshakeWith(context, host, address, port, serverName, remainingMillis(context), NONE);
    }

    /**
     * Whether a server accepts this application protocol (RFC 7301) as the only offer. Fails if the handshake fails for
     * another reason.
     */
    Future<Boolean> supportsAlpn(CheckContext context, Host host, InetAddress address, int port, String protocol) {
        List<TlsHandshake> handshakes = enginesByProtocol.computeIfAbsent(protocol, this::newEngines);
        Endpoint endpoint = new Endpoint(context, host, address, port, host.name(), remainingMillis(context), NONE);
        return NoSharedAlgorithms.withFallback(handshakes, engine -> dial(endpoint, engine))
                .map(peer -> protocol.equals(peer.alpn()))
                .recover(failure -> TlsErrors.isAlpnRejection(failure)
                        ? Future.succeededFuture(false)
                        : Future.failedFuture(failure));
    }

    private List<TlsHandshake> newEngines(String protocol) {
        return newEngines(vertx, List.of(protocol));
    }

    /** @param alpn the application protocols to offer; empty to omit the extension */
    private static List<TlsHandshake> newEngines(Vertx vertx, List<String> alpn) {
        try {
            TlsHandshake jdk = TlsHandshake.jdk(vertx, alpn);
            return TlsClientOptions.nativeEngine() ? List.of(TlsHandshake.boringSsl(alpn), jdk) : List.of(jdk);
        } catch (SSLException broken) {
            throw new IllegalStateException("no TLS engine is available", broken);
        }
    }

    private Future<TlsPeer> handshakeWith(
            CheckContext context,
            Host host,
            InetAddress address,
            int port,
            @Nullable String serverName,
            long connectMillis,
            Preamble preamble) {
        String name = serverName == null ? host.name() : serverName;
        Endpoint endpoint = new Endpoint(context, host, address, port, name, connectMillis, preamble);
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
        return dial(endpoint, (socket, connectMillis) -> readMessage(context, socket, hello)
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
                                        connectMillis,
                                        error))))
                .recover(unreadable -> Future.failedFuture(
                        unreadable instanceof OverloadFailure
                                        || CheckFailure.hasCode(unreadable, ErrorCode.RESPONSE_TOO_LARGE)
                                ? unreadable
                                : new CheckFailure(error.code(), error.message())));
    }

    private Future<List<byte[]>> readMessage(CheckContext context, NetSocket socket, ClientHello hello) {
        CertificateMessageReader reader = new CertificateMessageReader();
        Promise<List<byte[]>> promise =
                ContextFutures.promise(vertx, remainingMillis(context), late -> late.tryComplete(List.of()));
        socket.exceptionHandler(broken -> promise.tryComplete(List.of()));
        socket.closeHandler(closed -> promise.tryComplete(List.of()));
        socket.handler(bytes -> {
            List<byte[]> certificates = promise.future().isComplete() ? null : reader.read(bytes);
            if (certificates != null) {
                promise.tryComplete(certificates);
            }
        });
        socket.write(hello.bytes());
        return promise.future();
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
        return dial(
                endpoint,
                (socket, connectMillis) -> handshake.start(
                        endpoint.context(),
                        socket,
                        endpoint.serverName(),
                        endpoint.address(),
                        connectMillis,
                        remainingMillis(endpoint.context())));
    }

    /** An exchange over a connection after the preamble. */
    @FunctionalInterface
    private interface Exchange {
        Future<TlsPeer> run(NetSocket socket, long connectMillis);
    }

    private Future<TlsPeer> dial(Endpoint endpoint, Exchange exchange) {
        CheckContext context = endpoint.context();
        return guard.dial(context, endpoint.host(), endpoint.address(), endpoint.port(), remote -> {
            long started = System.nanoTime();
            long timeoutMillis = Math.min(remainingMillis(context), endpoint.connectMillis());
            return guard.connect(client, remote, endpoint.address(), timeoutMillis)
                    .compose(socket -> {
                        long connectMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);
                        return endpoint.preamble()
                                .run(socket, remainingMillis(context))
                                .compose(ready -> exchange.run(socket, connectMillis))
                                .eventually(() -> socket.close().otherwiseEmpty());
                    })
                    .compose(peer -> context.reserve(CertificateMemory.bytesOf(peer.certificates()))
                            .map(peer));
        });
    }

    private static long remainingMillis(CheckContext context) {
        return context.deadline().remainingMillis() - RESERVE_MILLIS;
    }
}
