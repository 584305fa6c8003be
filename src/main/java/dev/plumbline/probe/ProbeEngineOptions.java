package dev.plumbline.probe;

import io.netty.handler.ssl.SslContext;
import io.vertx.core.net.SSLEngineOptions;
import io.vertx.core.spi.tls.SslContextFactory;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Makes Vert.x build its TLS contexts the way {@link ProbeTls} does. All are equal: Vert.x shares
 * clients and contexts by the equality of their options.
 */
final class ProbeEngineOptions extends SSLEngineOptions {
  ProbeEngineOptions() {}

  @Override
  public ProbeEngineOptions copy() {
    return new ProbeEngineOptions();
  }

  @Override
  public SslContextFactory sslContextFactory() {
    return new Factory();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ProbeEngineOptions;
  }

  @Override
  public int hashCode() {
    return ProbeEngineOptions.class.hashCode();
  }

  private static final class Factory implements SslContextFactory {
    private boolean useAlpn;
    private List<String> alpn = List.of();

    @Override
    public SslContextFactory useAlpn(boolean use) {
      useAlpn = use;
      return this;
    }

    @Override
    public SslContextFactory applicationProtocols(@Nullable List<String> protocols) {
      alpn = protocols == null ? List.of() : List.copyOf(protocols);
      return this;
    }

    @Override
    public SslContext create() throws SSLException {
      return ProbeTls.newContext(useAlpn ? alpn : List.of(), new TrustEverybody());
    }
  }
}
