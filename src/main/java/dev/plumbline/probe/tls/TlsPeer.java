package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckError;
import io.vertx.core.buffer.Buffer;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a peer showed in a full TLS handshake.
 *
 * @param address the address that was connected to
 * @param certificates in the order in which they were sent, the peer's own first; never empty, at
 *     most {@link TlsProbe#MOST_CERTIFICATES}
 * @param certificateCount how many were sent
 * @param version for example TLSv1.3; null when the handshake was not finished
 * @param cipher the IANA name of the cipher suite; null when the handshake was not finished
 * @param alpn the application protocol that the peer chose, null for none
 * @param staple the OCSP response that the peer sent along (RFC 6066, section 8), null for none
 * @param clientCertificateAsked whether the peer asked us for a certificate
 * @param connectMillis how long the connection took, in milliseconds
 * @param handshakeMillis how long the handshake took, in milliseconds
 * @param failure why the handshake was not finished although the certificates were seen; null when
 *     it was
 */
public record TlsPeer(
        InetAddress address,
        List<X509Certificate> certificates,
        int certificateCount,
        @Nullable String version,
        @Nullable String cipher,
        @Nullable String alpn,
        @Nullable Buffer staple,
        boolean clientCertificateAsked,
        long connectMillis,
        long handshakeMillis,
        @Nullable CheckError failure) {
    public TlsPeer {
        certificates = List.copyOf(certificates);
    }

    /** The certificate that the peer presents as its own. */
    public X509Certificate leaf() {
        return certificates.get(0);
    }
}
