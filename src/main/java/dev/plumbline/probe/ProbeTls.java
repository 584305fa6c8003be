package dev.plumbline.probe;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProtocols;
import io.netty.handler.ssl.SslProvider;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.SSLEngineOptions;
import java.util.LinkedHashSet;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * How probes speak TLS as a client: through BoringSSL, or the JDK where that cannot be loaded;
 * every certificate is accepted, for {@link TlsTrust} judges it afterwards; no session is ever
 * resumed, so that every handshake shows the certificates.
 */
public final class ProbeTls {
  /** The most bytes of certificates that a peer may send in one handshake. */
  public static final int MAX_CERTIFICATE_BYTES = 256 * 1024;

  /** What is offered, as far as the engine can. */
  static final List<String> PROTOCOLS =
      List.of(
          SslProtocols.TLS_v1_3, SslProtocols.TLS_v1_2, SslProtocols.TLS_v1_1, SslProtocols.TLS_v1);

  /**
   * The groups for the key exchange. No hybrid with ML-KEM: making its key costs more than the rest
   * of the handshake, and no server demands it.
   */
  private static final String[] GROUPS = {"x25519", "secp256r1", "secp384r1", "secp521r1"};

  private ProbeTls() {}

  /**
   * The engine for an {@code HttpClient} or a {@code NetClient}: {@code
   * options.setSslEngineOptions(ProbeTls.engineOptions())}. The server name comes from the
   * authority of the request. Leave {@code forceSni} off: with it Vert.x keeps one context for each
   * name, for ever.
   */
  public static SSLEngineOptions engineOptions() {
    return new ProbeEngineOptions();
  }

  /**
   * What goes with {@link #engineOptions()}. One client, one list: Vert.x remembers the first that
   * it sees.
   *
   * @param alpn the application protocols to offer, the preferred first; empty for none
   */
  public static ClientSSLOptions clientOptions(List<String> alpn) {
    ClientSSLOptions options = new ClientSSLOptions();
    options
        .setTrustAll(true)
        .setHostnameVerificationAlgorithm("")
        .setUseAlpn(!alpn.isEmpty())
        .setApplicationLayerProtocols(alpn);
    options.setEnabledSecureTransportProtocols(new LinkedHashSet<>(PROTOCOLS));
    return options;
  }

  /** Whether BoringSSL could be loaded. */
  public static boolean nativeEngine() {
    return OpenSsl.isAvailable();
  }

  /** A context of the best engine there is. It is costly: build it once. */
  static SslContext newContext(List<String> alpn, TrustManager trust) throws SSLException {
    return nativeEngine() ? newNativeContext(alpn, trust, null) : newJdkContext(alpn, trust, null);
  }

  static SslContext newNativeContext(
      List<String> alpn, TrustManager trust, @Nullable KeyManager keys) throws SSLException {
    SslContext context =
        builder(alpn, trust, keys)
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
  static SslContext newJdkContext(List<String> alpn, TrustManager trust, @Nullable KeyManager keys)
      throws SSLException {
    return new FreshJdkContext(builder(alpn, trust, keys).sslProvider(SslProvider.JDK).build());
  }

  private static SslContextBuilder builder(
      List<String> alpn, TrustManager trust, @Nullable KeyManager keys) {
    SslContextBuilder builder =
        SslContextBuilder.forClient().trustManager(trust).endpointIdentificationAlgorithm("");
    if (keys != null) {
      builder.keyManager(keys);
    }
    if (!alpn.isEmpty()) {
      builder.applicationProtocolConfig(
          new ApplicationProtocolConfig(
              ApplicationProtocolConfig.Protocol.ALPN,
              ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
              ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
              alpn));
    }
    return builder;
  }
}
