package dev.plumbline.probe.tls;

import dev.plumbline.result.CheckError;
import dev.plumbline.tls.CertificateParser;
import io.vertx.core.buffer.Buffer;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The data of a full TLS handshake.
 *
 * @param address the address of the peer
 * @param certificates in the order of the peer, its own first; never empty; see {@link CertificateParser}
 * @param certificateCount the number of certificates sent
 * @param version for example TLSv1.3; null if the handshake was not completed
 * @param cipher the IANA name of the cipher suite; null if the handshake was not completed
 * @param group the code of the key exchange group; -1 before TLS 1.3, if the handshake was not completed, or if the
 *     engine does not offer post-quantum groups
 * @param alpn the selected application protocol; null if there is none
 * @param staple the stapled OCSP response (RFC 6066 section 8); null if there is none
 * @param clientCertificateRequested whether the peer requested a client certificate
 * @param failure the error of a handshake that failed after the certificates; null if it was completed
 */
public record TlsPeer(
        InetAddress address,
        List<X509Certificate> certificates,
        int certificateCount,
        @Nullable String version,
        @Nullable String cipher,
        int group,
        @Nullable String alpn,
        @Nullable Buffer staple,
        boolean clientCertificateRequested,
        @Nullable CheckError failure) {}
