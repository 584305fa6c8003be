package dev.plumbline.probe;

import dev.plumbline.check.Host;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Judges a certificate chain as a browser would, against the JDK's roots and the operator's extra
 * ones, for probes that must not talk on when the peer is not who it should be.
 */
public final class TlsTrust {

  /**
   * Why the chain is not trusted for the host, in one sentence; null when it is.
   *
   * @param sent the certificates in the order in which the peer sent them
   */
  public @Nullable String problem(List<X509Certificate> sent, Host host, Instant at) {
    return "not built yet";
  }
}
