package dev.plumbline.probe.http;

import com.google.common.base.Suppliers;
import dev.plumbline.probe.tls.AcceptAllTrustManager;
import dev.plumbline.probe.tls.TlsClientOptions;
import dev.plumbline.tls.TrustRoots;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.ImmediateExecutor;
import io.vertx.core.Vertx;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The TLS contexts of one engine. They accept all certificates; {@link TrustRoots} evaluates them after the handshake.
 */
final class HttpTlsOptions {
    private static final long CLOSE_NOTIFY_MS = 200;

    private final Map<HttpRequestSpec.Alpn, SslContext> contexts = new EnumMap<>(HttpRequestSpec.Alpn.class);
    private final Executor executor;

    private HttpTlsOptions(Function<List<String>, SslContext> factory, Executor executor) {
        this.executor = executor;
        for (HttpRequestSpec.Alpn alpn : HttpRequestSpec.Alpn.values()) {
            contexts.put(alpn, factory.apply(protocols(alpn)));
        }
    }

    private static List<String> protocols(HttpRequestSpec.Alpn alpn) {
        return switch (alpn) {
            case HTTP2_AND_HTTP1 -> List.of("h2", "http/1.1");
            case HTTP1 -> List.of("http/1.1");
            case HTTP2 -> List.of("h2");
        };
    }

    /**
     * The engines in the order of the attempts, created at the first use except for the first: BoringSSL, BoringSSL
     * with post-quantum key exchange for servers that require it, and the JDK.
     *
     * @throws IllegalStateException if no TLS engine is available
     */
    static List<Supplier<HttpTlsOptions>> engines(Vertx vertx) {
        HttpTlsOptions first = TlsClientOptions.nativeEngine() ? boringSsl(false) : jdk(vertx);
        return TlsClientOptions.nativeEngine()
                ? List.of(() -> first, Suppliers.memoize(() -> boringSsl(true)), Suppliers.memoize(() -> jdk(vertx)))
                : List.of(() -> first);
    }

    private static HttpTlsOptions boringSsl(boolean postQuantum) {
        return new HttpTlsOptions(
                protocols ->
                        TlsClientOptions.newNativeContext(protocols, new AcceptAllTrustManager(), null, postQuantum),
                ImmediateExecutor.INSTANCE);
    }

    private static HttpTlsOptions jdk(Vertx vertx) {
        return new HttpTlsOptions(
                protocols -> TlsClientOptions.newJdkContext(protocols, new AcceptAllTrustManager(), null),
                TlsClientOptions.jdkExecutor(vertx));
    }

    /**
     * Creates the handler of one connection.
     *
     * @param name the SNI; not sent if it is an address
     */
    SslHandler handler(ByteBufAllocator allocator, String name, int port, HttpRequestSpec.Alpn alpn, long timeoutMs) {
        SslHandler handler = Objects.requireNonNull(contexts.get(alpn)).newHandler(allocator, name, port, executor);
        handler.setHandshakeTimeoutMillis(timeoutMs);
        handler.setCloseNotifyFlushTimeoutMillis(CLOSE_NOTIFY_MS);
        return handler;
    }
}
