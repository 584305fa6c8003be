package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.concurrent.VertxInternals;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.tls.CertificateParser;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.ImmediateExecutor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.net.InetAddress;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * TLS handshakes by one engine over open connections. Adds its own handler instead of upgrading the Vert.x socket:
 * Vert.x caches a context for each server name without limit, and does not expose the stapled response.
 *
 * @param postQuantum whether the engine offers post-quantum key exchange
 */
record TlsHandshake(SslContext context, boolean postQuantum, HandshakeRecorder recorder, Executor executor) {
    private static final int CLOSE_MILLIS = 500;

    /** @param alpn the application protocols to offer; empty to omit the extension */
    static TlsHandshake boringSsl(List<String> alpn) {
        HandshakeRecorder recorder = new HandshakeRecorder();
        return new TlsHandshake(
                TlsClientOptions.newNativeContext(alpn, recorder.trustManager(), recorder.keyManager(), true),
                true,
                recorder,
                ImmediateExecutor.INSTANCE);
    }

    /** @param alpn the application protocols to offer; empty to omit the extension */
    static TlsHandshake jdk(Vertx vertx, List<String> alpn) {
        HandshakeRecorder recorder = new HandshakeRecorder();
        return new TlsHandshake(
                TlsClientOptions.newJdkContext(alpn, recorder.trustManager(), recorder.keyManager()),
                false,
                recorder,
                TlsClientOptions.jdkExecutor(vertx));
    }

    /**
     * Performs a handshake. The caller closes the socket.
     *
     * @param check the check in whose CPU time large certificates are parsed
     * @param millis the handshake timeout
     * @return the data of the peer; fails as described in {@link TlsErrors#ofHandshake} if it sent no certificate
     */
    Future<TlsPeer> start(CheckContext check, NetSocket socket, String serverName, InetAddress address, long millis) {
        ChannelPipeline pipeline = VertxInternals.channel(socket).pipeline();
        SslHandler handler = context.newHandler(
                pipeline.channel().alloc(), serverName, socket.remoteAddress().port(), executor);
        handler.setHandshakeTimeoutMillis(Math.max(millis, 1));
        handler.setCloseNotifyFlushTimeoutMillis(CLOSE_MILLIS);
        HandshakeRecorder.Observation observation = recorder.observe(handler.engine());
        HandshakeLimitHandler limits = new HandshakeLimitHandler(postQuantum ? new ServerHelloReader(false) : null);
        Promise<TlsPeer> promise = Promise.promise();
        // Reported by the handshake future.
        socket.exceptionHandler(ignored -> {});
        handler.handshakeFuture().addListener(done -> {
            try {
                peer(check, handler, done.cause(), limits, observation, address).onComplete(promise);
            } catch (Exception failure) {
                promise.fail(failure);
            } finally {
                recorder.forget(handler.engine());
            }
        });
        pipeline.addFirst("tls", handler);
        pipeline.addFirst("limits", limits);
        return ContextFutures.onCallerContext(promise.future());
    }

    /** @param cause why the handshake failed; null if it was completed */
    private Future<TlsPeer> peer(
            CheckContext check,
            SslHandler handler,
            @Nullable Throwable cause,
            HandshakeLimitHandler limits,
            HandshakeRecorder.Observation observation,
            InetAddress address)
            throws Exception {
        SSLSession session = cause == null ? handler.engine().getSession() : null;
        Certificate[] chain = session == null ? observation.chain : certificates(session);
        if (cause != null && (chain.length == 0 || !observation.certificateRequested)) {
            throw TlsErrors.ofHandshake(cause, limits);
        }
        String version = session == null ? null : session.getProtocol();
        String cipher = session == null ? null : session.getCipherSuite();
        String protocol = session == null ? null : handler.applicationProtocol();
        Buffer staple = session == null ? null : staple(session);
        CheckError error = cause == null
                ? null
                : new CheckError(
                        TlsErrors.toFailure(cause, limits).error().code(), "The server requires a client certificate.");
        return parse(check, List.of(chain))
                .map(certificates -> new TlsPeer(
                        address,
                        certificates,
                        chain.length,
                        version,
                        cipher,
                        session == null ? -1 : limits.group(),
                        protocol,
                        staple,
                        observation.certificateRequested,
                        error));
    }

    private static Certificate[] certificates(SSLSession session) throws CheckFailure {
        try {
            return session.getPeerCertificates();
        } catch (SSLPeerUnverifiedException none) {
            throw new CheckFailure(ErrorCode.TLS_HANDSHAKE_FAILED, "The server sent no certificate.");
        }
    }

    private static @Nullable Buffer staple(SSLSession session) {
        List<byte[]> responses =
                session instanceof ExtendedSSLSession extended ? extended.getStatusResponses() : List.of();
        return responses.isEmpty() || responses.get(0).length == 0 ? null : Buffer.buffer(responses.get(0));
    }

    private static Future<List<X509Certificate>> parse(CheckContext check, List<Certificate> chain) {
        if (CertificateParser.isCheap(chain)) {
            try {
                return Future.succeededFuture(CertificateParser.parse(chain));
            } catch (CertificateException rejected) {
                // Bouncy Castle may accept it.
            }
        }
        return check.executeBlocking(() -> parseLeniently(chain))
                .recover(failure -> Future.failedFuture(
                        failure instanceof CheckFailure || failure instanceof OverloadFailure
                                ? failure
                                : TlsErrors.unreadableCertificate()));
    }

    /** Also lists the names, which takes milliseconds for thousands of them and is cached by the certificate. */
    private static List<X509Certificate> parseLeniently(List<Certificate> chain) throws CertificateException {
        List<X509Certificate> certificates = CertificateParser.parseLeniently(chain);
        certificates.forEach(CertificateParser::nameCount);
        return certificates;
    }
}
