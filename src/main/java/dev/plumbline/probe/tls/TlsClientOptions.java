package dev.plumbline.probe.tls;

import dev.plumbline.tls.TrustRoots;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProtocols;
import io.netty.handler.ssl.SslProvider;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * TLS contexts of the probes: BoringSSL, or the JDK if BoringSSL is not available. They accept all certificates, which
 * {@link TrustRoots} evaluates afterwards, and never resume sessions, because resumed sessions have no Certificate
 * message.
 */
public final class TlsClientOptions {
    /** The maximum size of the certificates of a peer in bytes. */
    public static final int MAX_CERTIFICATE_BYTES = 256 * 1024;

    /** The offered versions, as far as the engine supports them. */
    static final List<String> PROTOCOLS = List.of(SslProtocols.TLS_v1_3, SslProtocols.TLS_v1_2, "TLSv1.1", "TLSv1");

    private static final String[] GROUPS = {"x25519", "secp256r1", "secp384r1", "secp521r1"};

    /** Servers without a preference select the first group that they support. */
    private static final String[] POST_QUANTUM_GROUPS = {
        "X25519MLKEM768", "x25519", "secp256r1", "secp384r1", "secp521r1"
    };

    private TlsClientOptions() {}

    /** Whether BoringSSL is available. */
    public static boolean nativeEngine() {
        return OpenSsl.isAvailable();
    }

    /**
     * Creates a context of BoringSSL. Expensive; reuse it.
     *
     * @param postQuantum whether to offer X25519MLKEM768 too. BoringSSL always sends a key share for it, which triples
     *     the CPU time of a handshake (70 µs more).
     * @throws IllegalStateException if the engine does not support the settings
     */
    public static SslContext newNativeContext(
            List<String> alpn, TrustManager trust, @Nullable KeyManager keys, boolean postQuantum) {
        return newNativeContext(
                builder(alpn, trust, keys).protocols(PROTOCOLS), postQuantum ? POST_QUANTUM_GROUPS : GROUPS);
    }

    /**
     * Creates a context of BoringSSL for TLS 1.3 only. Expensive; reuse it.
     *
     * <p>Sends a key share of P-256. Servers that prefer another group, which most do, can then send the list of the
     * groups that they support (RFC 8446 section 4.2.7). Servers that prefer post-quantum groups would request a share
     * of one instead, so none is offered.
     *
     * @throws IllegalStateException if the engine does not support the settings
     */
    static SslContext newTls13Context(TrustManager trust) {
        return newNativeContext(
                builder(List.of(), trust, null).protocols(SslProtocols.TLS_v1_3),
                "secp256r1",
                "x25519",
                "secp384r1",
                "secp521r1");
    }

    private static SslContext newNativeContext(SslContextBuilder builder, String... groups) {
        SslContext context = build(builder.sslProvider(SslProvider.OPENSSL)
                .ciphers(OpenSsl.availableOpenSslCipherSuites())
                .enableOcsp(OpenSsl.isOcspSupported())
                .option(OpenSslContextOption.MAX_CERTIFICATE_LIST_BYTES, MAX_CERTIFICATE_BYTES)
                .option(OpenSslContextOption.GROUPS, groups.clone()));
        ((OpenSslSessionContext) context.sessionContext()).setSessionCacheEnabled(false);
        return context;
    }

    /**
     * Creates a context of the JDK, which supports some algorithms that BoringSSL lacks. Expensive; reuse it.
     *
     * @throws IllegalStateException if the engine does not support the settings
     */
    public static SslContext newJdkContext(List<String> alpn, TrustManager trust, @Nullable KeyManager keys) {
        return new NonResumingJdkContext(build(builder(alpn, trust, keys).sslProvider(SslProvider.JDK)));
    }

    private static SslContext build(SslContextBuilder builder) {
        try {
            return builder.build();
        } catch (SSLException broken) {
            throw new IllegalStateException("no TLS engine is available", broken);
        }
    }

    /**
     * Runs the tasks of the JDK engine on worker threads, because they take milliseconds. Not on the CPU pool of
     * checks: the tasks of a handshake are bounded by the limit of its messages, and the engine requires all of them.
     */
    public static Executor jdkExecutor(Vertx vertx) {
        return task -> vertx.executeBlocking(
                () -> {
                    task.run();
                    return null;
                },
                false);
    }

    private static SslContextBuilder builder(List<String> alpn, TrustManager trust, @Nullable KeyManager keys) {
        SslContextBuilder builder =
                SslContextBuilder.forClient().trustManager(trust).endpointIdentificationAlgorithm("");
        if (keys != null) {
            builder.keyManager(keys);
        }
        if (!alpn.isEmpty()) {
            builder.applicationProtocolConfig(new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                    alpn));
        }
        return builder;
    }
}
