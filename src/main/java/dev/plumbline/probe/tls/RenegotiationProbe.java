package dev.plumbline.probe.tls;

import com.google.common.base.Suppliers;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.concurrent.VertxInternals;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetSocket;
import java.util.List;
import java.util.function.Supplier;

/** Tests with the JDK's TLS engine whether a server accepts a renegotiation that the client starts in TLS 1.2. */
final class RenegotiationProbe {
    /** A server that ignores the request has at least this multiple of the time of its first handshake. */
    private static final int PATIENCE = 4;

    private final PeerConnector connector;
    private final Supplier<SslContext> engines;
    private final Vertx vertx;

    RenegotiationProbe(Vertx vertx, PeerConnector connector) {
        this.vertx = vertx;
        this.connector = connector;
        this.engines =
                Suppliers.memoize(() -> TlsClientOptions.newJdkContext(List.of(), new AcceptAllTrustManager(), null));
    }

    /**
     * Performs a handshake and starts another one over the same connection.
     *
     * @param millis the timeout of the connect, and of each handshake
     * @return whether the second handshake was completed; fails with a {@link CheckFailure} if the first one was not,
     *     or if it took too long for a conclusion from a missing response
     */
    Future<Boolean> accepts(CheckContext context, PeerConnector.Peer peer, long millis) {
        return connector.dial(context, peer, millis, socket -> handshakes(socket, peer, millis));
    }

    private Future<Boolean> handshakes(NetSocket socket, PeerConnector.Peer peer, long millis) {
        ChannelPipeline pipeline = VertxInternals.channel(socket).pipeline();
        SslHandler handler = engines.get()
                .newHandler(
                        pipeline.channel().alloc(),
                        peer.host().name(),
                        peer.port(),
                        TlsClientOptions.jdkExecutor(vertx));
        handler.engine().setEnabledProtocols(new String[] {"TLSv1.2"});
        handler.setHandshakeTimeoutMillis(millis);
        HandshakeLimitHandler limits = new HandshakeLimitHandler();
        Promise<Boolean> promise = Promise.promise();
        // reported by the futures of the handler
        socket.exceptionHandler(ignored -> {});
        long start = System.nanoTime();
        handler.handshakeFuture().addListener(first -> {
            if (first.isSuccess()) {
                long firstMillis = (System.nanoTime() - start) / 1_000_000;
                handler.renegotiate().addListener((io.netty.util.concurrent.Future<Channel> second) -> {
                    Throwable cause = second.cause();
                    if (cause instanceof SslHandshakeTimeoutException && firstMillis * PATIENCE > millis) {
                        promise.fail(TlsErrors.toFailure(cause, limits));
                    } else {
                        // An alert, the end of the connection and no response are rejections.
                        promise.complete(cause == null);
                    }
                });
            } else {
                promise.fail(TlsErrors.toFailure(first.cause(), limits));
            }
        });
        pipeline.addFirst("tls", handler);
        pipeline.addFirst("limits", limits);
        return ContextFutures.onCallerContext(promise.future());
    }
}
