package dev.plumbline.probe.tls;

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
 * How probes speak TLS as a client: through BoringSSL, or the JDK where that cannot be loaded;
 * every certificate is accepted, for {@link CertificateTrustEvaluator} judges it afterwards; no session is ever
 * resumed, so that every handshake shows the certificates.
 */
public final class TlsClientOptions {
    /** The most bytes of certificates that a peer may send in one handshake. */
    public static final int MAX_CERTIFICATE_BYTES = 256 * 1024;

    /** What is offered, as far as the engine can. */
    static final List<String> PROTOCOLS =
            List.of(SslProtocols.TLS_v1_3, SslProtocols.TLS_v1_2, SslProtocols.TLS_v1_1, SslProtocols.TLS_v1);

    /**
     * The groups for the key exchange. No hybrid with ML-KEM: making its key costs more than the rest
     * of the handshake, and no server demands it.
     */
    private static final String[] GROUPS = {"x25519", "secp256r1", "secp384r1", "secp521r1"};

    private TlsClientOptions() {}

    /** Whether BoringSSL could be loaded. */
    public static boolean nativeEngine() {
        return OpenSsl.isAvailable();
    }

    /** A context of BoringSSL. It is costly, as the JDK's is: build it once. */
    public static SslContext newNativeContext(List<String> alpn, TrustManager trust, @Nullable KeyManager keys)
            throws SSLException {
        SslContext context = builder(alpn, trust, keys)
                .sslProvider(SslProvider.OPENSSL)
                .protocols(PROTOCOLS)
                .ciphers(OpenSsl.availableOpenSslCipherSuites())
                .enableOcsp(OpenSsl.isOcspSupported())
                .option(OpenSslContextOption.MAX_CERTIFICATE_LIST_BYTES, MAX_CERTIFICATE_BYTES)
                .option(OpenSslContextOption.GROUPS, GROUPS.clone())
                .build();
        ((OpenSslSessionContext) context.sessionContext()).setSessionCacheEnabled(false);
        return context;
    }

    /** A context of the JDK, which knows some old and new algorithms that BoringSSL refuses. */
    public static SslContext newJdkContext(List<String> alpn, TrustManager trust, @Nullable KeyManager keys)
            throws SSLException {
        return new NonResumingJdkContext(
                builder(alpn, trust, keys).sslProvider(SslProvider.JDK).build());
    }

    /** Where the JDK's engine computes: for milliseconds, so not on the event loop. */
    public static Executor jdkTasks(Vertx vertx) {
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
