package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Host;
import dev.plumbline.egress.ConnectErrors;
import dev.plumbline.egress.EgressGuard;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Makes full TLS handshakes with targets and tells what they showed. Certificates are not judged
 * here, sessions are never resumed. Signed certificate timestamps in the TLS extension are not
 * asked for: neither engine offers them.
 */
public final class TlsProbe {
    /** The most certificates that are kept of what a peer sends. */
    public static final int MOST_CERTIFICATES = 32;

    /** What is kept of the deadline, so that a slow peer is told from a slow service. */
    private static final long RESERVE_MILLIS = 100;

    private final EgressGuard guard;
    private final NetClient client;
    private final TlsHandshake nativeHandshake;
    private final TlsHandshake jdkHandshake;
    private final ConcurrentMap<String, TlsHandshake> offering = new ConcurrentHashMap<>();
    private final Vertx vertx;

    /**
     * @throws IllegalStateException when no TLS engine works
     */
    public TlsProbe(Vertx vertx, EgressGuard guard) {
        this.vertx = vertx;
        this.guard = guard;
        this.client = vertx.createNetClient(new NetClientOptions().setTcpNoDelay(true));
        try {
            this.jdkHandshake = TlsHandshake.ofTheJdk(vertx);
            this.nativeHandshake = TlsClientOptions.nativeEngine() ? TlsHandshake.ofBoringSsl() : jdkHandshake;
        } catch (SSLException broken) {
            throw new IllegalStateException("no TLS engine works", broken);
        }
    }

    /** The addresses of a host that may be dialled, as {@link EgressGuard#resolve} gives them. */
    public Future<List<InetAddress>> addresses(CheckContext context, Host host, int port) {
        return guard.resolve(context, host, port);
    }

    /**
     * Makes a handshake with the first address of a host that accepts a connection.
     *
     * @param serverName what to send as the server name, null for the host's own; an address and a
     *     name without a dot are never sent (RFC 6066, section 3)
     * @return what the peer showed; a {@link CheckFailure} when it showed no certificate
     */
    public Future<TlsPeer> handshake(CheckContext context, Host host, int port, @Nullable String serverName) {
        return guard.resolve(context, host, port)
                .compose(addresses -> handshakeFrom(context, host, addresses, port, serverName));
    }

    private Future<TlsPeer> handshakeFrom(
            CheckContext context, Host host, List<InetAddress> addresses, int port, @Nullable String serverName) {
        long share = left(context) / addresses.size();
        Future<TlsPeer> first =
                handshakeWith(context, host, addresses.get(0), port, serverName, Math.max(share, 1_000));
        if (addresses.size() == 1) {
            return first;
        }
        return first.recover(failure -> unreachable(failure) && left(context) > 0
                ? handshakeFrom(context, host, addresses.subList(1, addresses.size()), port, serverName)
                : Future.failedFuture(failure));
    }

    private static boolean unreachable(Throwable failure) {
        return failure instanceof CheckFailure known
                && switch (known.error().code()) {
                    case CONNECT_REFUSED, CONNECT_TIMEOUT, CONNECT_UNREACHABLE -> true;
                    default -> false;
                };
    }

    /** Makes a handshake with one address of a host, as {@link #handshake} does. */
    public Future<TlsPeer> handshakeWith(
            CheckContext context, Host host, InetAddress address, int port, @Nullable String serverName) {
        return handshakeWith(context, host, address, port, serverName, left(context));
    }

    /**
     * Whether a server agrees to speak an application protocol (RFC 7301) when it is offered nothing
     * else. Fails where the handshake fails for another reason than that.
     */
    Future<Boolean> speaks(CheckContext context, Host host, InetAddress address, int port, String protocol) {
        TlsHandshake handshake = offering.computeIfAbsent(protocol, this::offering);
        Connected dialled = new Connected(context, host, address, port, host.name(), left(context));
        return NoSharedAlgorithms.withFallback(handshake, handshake, engine -> dial(dialled, engine))
                .map(peer -> protocol.equals(peer.alpn()))
                .recover(failure -> failure instanceof CheckFailure known && TlsErrors.refusesProtocols(known)
                        ? Future.succeededFuture(false)
                        : Future.failedFuture(failure));
    }

    private TlsHandshake offering(String protocol) {
        try {
            return TlsClientOptions.nativeEngine()
                    ? TlsHandshake.ofBoringSsl(List.of(protocol))
                    : TlsHandshake.ofTheJdk(vertx, List.of(protocol));
        } catch (SSLException broken) {
            throw new IllegalStateException("no TLS engine works", broken);
        }
    }

    private Future<TlsPeer> handshakeWith(
            CheckContext context,
            Host host,
            InetAddress address,
            int port,
            @Nullable String serverName,
            long connectMillis) {
        String name = serverName == null ? host.name() : serverName;
        Connected dialled = new Connected(context, host, address, port, name, connectMillis);
        return NoSharedAlgorithms.withFallback(nativeHandshake, jdkHandshake, handshake -> dial(dialled, handshake));
    }

    private record Connected(
            CheckContext context, Host host, InetAddress address, int port, String serverName, long connectMillis) {}

    private Future<TlsPeer> dial(Connected to, TlsHandshake handshake) {
        return guard.dial(
                to.context(),
                to.host(),
                to.address(),
                to.port(),
                socketAddress -> exchange(to, handshake, socketAddress));
    }

    private Future<TlsPeer> exchange(Connected to, TlsHandshake handshake, SocketAddress remote) {
        long left = left(to.context());
        if (left <= 0) {
            return Future.failedFuture(
                    new CheckFailure(ErrorCode.DEADLINE_EXCEEDED, "The check exceeded its time limit."));
        }
        long started = System.nanoTime();
        ConnectOptions options =
                new ConnectOptions().setRemoteAddress(remote).setTimeout((int) Math.min(left, to.connectMillis()));
        return client.connect(options)
                .recover(refused -> Future.failedFuture(ConnectErrors.of(refused, remote)))
                .compose(socket -> {
                    try {
                        guard.assertPeer(socket.remoteAddress(), to.address(), to.port());
                    } catch (RuntimeException other) {
                        return socket.close().transform(closed -> Future.failedFuture(other));
                    }
                    long connectMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);
                    return handshake
                            .with(socket, to.serverName(), to.address(), connectMillis, left(to.context()))
                            .transform(seen -> socket.close()
                                    .transform(closed -> seen.succeeded()
                                            ? Future.succeededFuture(seen.result())
                                            : Future.failedFuture(seen.cause())));
                });
    }

    private static long left(CheckContext context) {
        return context.deadline().remainingMillis() - RESERVE_MILLIS;
    }
}
