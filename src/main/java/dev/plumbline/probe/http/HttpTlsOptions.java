package dev.plumbline.probe.http;

import dev.plumbline.probe.tls.AcceptAllTrustManager;
import dev.plumbline.probe.tls.TlsClientOptions;
import dev.plumbline.tls.TrustRoots;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.ImmediateExecutor;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLException;

/**
 * The TLS contexts of one engine. They accept all certificates; {@link TrustRoots} evaluates them after the handshake.
 */
final class HttpTlsOptions {
    private static final long CLOSE_NOTIFY_MS = 200;
    private static final List<String> HTTP1 = List.of("http/1.1");
    private static final List<String> HTTP2 = List.of("h2", "http/1.1");

    private final SslContext http1;
    private final SslContext http2;
    private final Executor executor;

    private HttpTlsOptions(SslContext http1, SslContext http2, Executor executor) {
        this.http1 = http1;
        this.http2 = http2;
        this.executor = executor;
    }

    static HttpTlsOptions boringSsl() throws SSLException {
        return new HttpTlsOptions(
                TlsClientOptions.newNativeContext(HTTP1, new AcceptAllTrustManager(), null),
                TlsClientOptions.newNativeContext(HTTP2, new AcceptAllTrustManager(), null),
                ImmediateExecutor.INSTANCE);
    }

    static HttpTlsOptions jdk(Vertx vertx) throws SSLException {
        return new HttpTlsOptions(
                TlsClientOptions.newJdkContext(HTTP1, new AcceptAllTrustManager(), null),
                TlsClientOptions.newJdkContext(HTTP2, new AcceptAllTrustManager(), null),
                TlsClientOptions.jdkExecutor(vertx));
    }

    /**
     * Creates the handler of one connection.
     *
     * @param name the SNI; not sent if it is an address
     */
    SslHandler handler(ByteBufAllocator allocator, String name, int port, boolean offerHttp2, long timeoutMs) {
        SslHandler handler = (offerHttp2 ? http2 : http1).newHandler(allocator, name, port, executor);
        handler.setHandshakeTimeoutMillis(timeoutMs);
        handler.setCloseNotifyFlushTimeoutMillis(CLOSE_NOTIFY_MS);
        return handler;
    }
}
