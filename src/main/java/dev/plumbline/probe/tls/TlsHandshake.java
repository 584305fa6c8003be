package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.ImmediateExecutor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Makes handshakes with one engine, over connections that are there already. It adds its own
 * handler to the connection instead of asking Vert.x for TLS: Vert.x keeps a context for each
 * server name, for ever, and hides the stapled response.
 */
final class TlsHandshake {
    private static final int CLOSE_MILLIS = 500;

    private final SslContext context;
    private final HandshakeRecorder witness;
    private final Executor tasks;

    private TlsHandshake(SslContext context, HandshakeRecorder witness, Executor tasks) {
        this.context = context;
        this.witness = witness;
        this.tasks = tasks;
    }

    static TlsHandshake ofBoringSsl() throws SSLException {
        return ofBoringSsl(List.of());
    }

    /**
     * @param alpn the application protocols that are offered; empty to say nothing of them
     */
    static TlsHandshake ofBoringSsl(List<String> alpn) throws SSLException {
        HandshakeRecorder witness = new HandshakeRecorder();
        return new TlsHandshake(
                TlsClientOptions.newNativeContext(alpn, witness.trust(), witness.keys()),
                witness,
                ImmediateExecutor.INSTANCE);
    }

    static TlsHandshake ofTheJdk(Vertx vertx) throws SSLException {
        return ofTheJdk(vertx, List.of());
    }

    /**
     * @param alpn the application protocols that are offered; empty to say nothing of them
     */
    static TlsHandshake ofTheJdk(Vertx vertx, List<String> alpn) throws SSLException {
        HandshakeRecorder witness = new HandshakeRecorder();
        return new TlsHandshake(
                TlsClientOptions.newJdkContext(alpn, witness.trust(), witness.keys()),
                witness,
                TlsClientOptions.jdkTasks(vertx));
    }

    /**
     * Makes a handshake. The caller closes the socket.
     *
     * @param millis how long it may take
     * @return what the peer showed; a {@link CheckFailure}, or {@link NoSharedAlgorithms}, when it showed
     *     no certificate
     */
    Future<TlsPeer> with(NetSocket socket, String serverName, InetAddress address, long connectMillis, long millis) {
        ChannelPipeline pipeline =
                ((NetSocketInternal) socket).channelHandlerContext().channel().pipeline();
        SslHandler handler = context.newHandler(
                pipeline.channel().alloc(), serverName, socket.remoteAddress().port(), tasks);
        handler.setHandshakeTimeoutMillis(Math.max(millis, 1));
        handler.setCloseNotifyFlushTimeoutMillis(CLOSE_MILLIS);
        HandshakeRecorder.Observation sight = witness.watch(handler.engine());
        HandshakeLimitHandler bounds = new HandshakeLimitHandler();
        Promise<TlsPeer> promise = Promise.promise();
        long started = System.nanoTime();
        // The handshake future tells; the socket has nothing to add.
        socket.exceptionHandler(ignored -> {});
        handler.handshakeFuture().addListener(done -> {
            long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);
            try {
                if (done.isSuccess()) {
                    promise.complete(finished(handler, sight, address, connectMillis, took));
                } else {
                    promise.complete(unfinished(done.cause(), bounds, sight, address, connectMillis, took));
                }
            } catch (Exception failure) {
                promise.fail(failure);
            } finally {
                witness.forget(handler.engine());
            }
        });
        pipeline.addFirst("tls", handler);
        pipeline.addFirst("bounds", bounds);
        return promise.future();
    }

    private static TlsPeer finished(
            SslHandler handler,
            HandshakeRecorder.Observation sight,
            InetAddress address,
            long connectMillis,
            long handshakeMillis)
            throws CheckFailure {
        SSLSession session = handler.engine().getSession();
        Certificate[] chain;
        try {
            chain = session.getPeerCertificates();
        } catch (SSLPeerUnverifiedException none) {
            throw new CheckFailure(ErrorCode.TLS_HANDSHAKE_FAILED, "The server sent no certificate.");
        }
        return new TlsPeer(
                address,
                read(chain),
                chain.length,
                session.getProtocol(),
                session.getCipherSuite(),
                handler.applicationProtocol(),
                staple(session),
                sight.certificateAsked(),
                connectMillis,
                handshakeMillis,
                null);
    }

    private static TlsPeer unfinished(
            Throwable cause,
            HandshakeLimitHandler bounds,
            HandshakeRecorder.Observation sight,
            InetAddress address,
            long connectMillis,
            long handshakeMillis)
            throws Exception {
        X509Certificate[] chain = sight.chain();
        if (chain.length == 0 || !sight.certificateAsked()) {
            throw TlsErrors.ofHandshake(cause, bounds);
        }
        CheckError error = new CheckError(
                TlsErrors.known(cause, bounds).error().code(), "The server requires a client certificate.");
        return new TlsPeer(
                address,
                read(chain),
                chain.length,
                null,
                null,
                null,
                null,
                true,
                connectMillis,
                handshakeMillis,
                error);
    }

    private static @Nullable Buffer staple(SSLSession session) {
        if (session instanceof ExtendedSSLSession extended) {
            for (byte[] response : extended.getStatusResponses()) {
                return response.length == 0 ? null : Buffer.buffer(response);
            }
        }
        return null;
    }

    private static List<X509Certificate> read(Certificate[] chain) throws CheckFailure {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Certificate each : chain) {
            if (certificates.size() == TlsProbe.MOST_CERTIFICATES) {
                break;
            }
            try {
                certificates.add((X509Certificate) CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(each.getEncoded())));
            } catch (CertificateException unreadable) {
                if (certificates.isEmpty()) {
                    throw new CheckFailure(ErrorCode.TLS_HANDSHAKE_FAILED, "The server certificate cannot be parsed.");
                }
            }
        }
        return certificates;
    }
}
