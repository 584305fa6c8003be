package dev.plumbline.probe.tls;

import com.google.common.base.Suppliers;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.concurrent.VertxInternals;
import dev.plumbline.result.ErrorCode;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ReferenceCountedOpenSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.internal.tcnative.SSLContext;
import io.netty.util.concurrent.ImmediateExecutor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetSocket;
import java.lang.reflect.Field;
import java.nio.BufferUnderflowException;
import java.security.GeneralSecurityException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the encrypted messages of a TLS 1.3 server. BoringSSL performs the handshake and provides the traffic secrets;
 * the messages are decrypted here, because no TLS engine exposes them.
 */
final class EncryptedMessagesProbe {
    private final Vertx vertx;
    private final PeerConnector connector;
    private final TrafficSecretLog log = new TrafficSecretLog();
    /** Null on a platform without the native library, which is loaded on first use. */
    private final Supplier<@Nullable SslContext> engines;

    EncryptedMessagesProbe(Vertx vertx, PeerConnector connector) {
        this.vertx = vertx;
        this.connector = connector;
        this.engines = Suppliers.memoize(() -> newContext(log));
    }

    private static @Nullable SslContext newContext(TrafficSecretLog log) {
        if (!TlsClientOptions.nativeEngine()) {
            return null;
        }
        SslContext context = TlsClientOptions.newTls13Context(new AcceptAllTrustManager());
        try {
            // Netty does not expose the address that the function of its native library requires.
            Field address = ReferenceCountedOpenSslContext.class.getDeclaredField("ctx");
            address.setAccessible(true);
            return SSLContext.setKeyLogCallback(address.getLong(context), log) ? context : null;
        } catch (ReflectiveOperationException changed) {
            return null;
        }
    }

    /**
     * Performs a handshake, and reads until the server has closed the connection.
     *
     * @param millis the timeout of the connect, of the handshake, and of the messages after it
     * @return fails with a {@link CheckFailure} if the handshake is not completed
     */
    Future<EncryptedMessages> read(CheckContext context, PeerConnector.Peer peer, long millis) {
        SslContext available = engines.get();
        if (available == null) {
            return failed("This platform does not support the handshake.");
        }
        return connector.dial(context, peer, millis, socket -> handshake(available, socket, peer, millis));
    }

    private Future<EncryptedMessages> handshake(
            SslContext available, NetSocket socket, PeerConnector.Peer peer, long millis) {
        ChannelPipeline pipeline = VertxInternals.channel(socket).pipeline();
        SslHandler handler = available.newHandler(
                pipeline.channel().alloc(), peer.host().name(), peer.port(), ImmediateExecutor.INSTANCE);
        handler.setHandshakeTimeoutMillis(millis);
        TrafficSecretLog.Secrets secrets = log.observe(handler.engine());
        HandshakeLimitHandler limits = new HandshakeLimitHandler();
        InboundRecorder recorder = new InboundRecorder();
        Promise<EncryptedMessages> promise = Promise.promise();
        // reported by the futures of the handler
        socket.exceptionHandler(ignored -> {});
        handler.handshakeFuture().addListener(done -> {
            log.forget(secrets);
            if (!done.isSuccess()) {
                promise.fail(TlsErrors.toFailure(done.cause(), limits));
                return;
            }
            String suite = handler.engine().getSession().getCipherSuite();
            Promise<Void> end = ContextFutures.promise(vertx, millis, Promise::tryComplete);
            handler.sslCloseFuture().addListener(closed -> end.tryComplete());
            end.future().compose(closed -> messages(recorder, suite, secrets)).onComplete(promise);
            // After the end of this handshake has been sent. The server then sends its tickets, and closes too.
            pipeline.channel().eventLoop().execute(handler::closeOutbound);
        });
        pipeline.addFirst("tls", handler);
        pipeline.addFirst("recorder", recorder);
        pipeline.addFirst("limits", limits);
        return ContextFutures.onCallerContext(promise.future());
    }

    private static Future<EncryptedMessages> messages(
            InboundRecorder recorder, String suite, TrafficSecretLog.Secrets secrets) {
        byte[] handshake = secrets.handshake();
        byte[] application = secrets.application();
        if (handshake == null || application == null) {
            return failed("The secrets of the TLS handshake are not available.");
        }
        if (recorder.exceeded()) {
            return failed("The server sent more than " + InboundRecorder.MAX_BYTES + " bytes.");
        }
        try {
            return Future.succeededFuture(
                    EncryptedMessagesReader.read(recorder.received(), suite, handshake, application));
        } catch (GeneralSecurityException | BufferUnderflowException unreadable) {
            return failed("The server sent a malformed TLS message.");
        }
    }

    private static <T> Future<T> failed(String message) {
        return Future.failedFuture(new CheckFailure(ErrorCode.TLS_HANDSHAKE_FAILED, message));
    }
}
