package dev.plumbline.tls;

import dev.plumbline.result.CheckError;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The certificate that a server sent in a TLS handshake, and what is known about it.
 *
 * @param host the hostname for which the certificate is validated
 * @param hostMatches whether the certificate is valid for that hostname
 * @param ip the address of the server
 * @param sent the certificates in the order in which they were sent, the leaf first; not empty
 * @param sentCount the number of certificates that were sent, which may be more than were read
 * @param path the best path from the leaf to a trusted root
 * @param names the subject alternative names of the leaf
 * @param at the time of the handshake
 * @param stapled the revocation status by the stapled OCSP response; null if none was sent
 * @param queried the revocation status by the OCSP responder or CRL; null if they were not queried
 * @param version for example TLSv1.3; null if the handshake did not complete
 * @param cipher the IANA name of the cipher suite; null if the handshake did not complete
 * @param group the code of the key exchange group in a handshake that offered a post-quantum group; -1 if unknown
 * @param clientCertificateRequested whether the server requested a client certificate
 * @param failure why the handshake did not complete; null if it did
 */
public record CertificateEvidence(
        String host,
        boolean hostMatches,
        String ip,
        List<X509Certificate> sent,
        int sentCount,
        CertificatePath path,
        AlternativeNames names,
        Instant at,
        @Nullable RevocationStatement stapled,
        @Nullable RevocationStatement queried,
        @Nullable String version,
        @Nullable String cipher,
        int group,
        boolean clientCertificateRequested,
        @Nullable CheckError failure) {
    public X509Certificate leaf() {
        return sent.get(0);
    }

    /** Whether the handshake failed for another reason than a missing client certificate. */
    public boolean rejected() {
        return failure != null && !clientCertificateRequested;
    }

    /** Whether the certificate is revoked; null if that is not known. The stapled response takes precedence. */
    public @Nullable Boolean revoked() {
        for (RevocationStatement statement : new RevocationStatement[] {stapled, queried}) {
            if (statement != null && statement.determined()) {
                return statement.status() == RevocationStatement.Status.REVOKED;
            }
        }
        return null;
    }

    /**
     * Whether the server selected a post-quantum key exchange group; null if the handshake did not complete or did not
     * offer one. Only TLS 1.3 has such groups.
     */
    public @Nullable Boolean postQuantum() {
        if (group >= 0) {
            return KeyExchangeGroup.postQuantum(group);
        }
        return version == null || version.equals(TlsVersion.TLS_1_3.title()) ? null : Boolean.FALSE;
    }

    /** Whole days until the certificate expires, rounded down; negative after it has expired. */
    public long daysRemaining() {
        return Math.floorDiv(leaf().getNotAfter().toInstant().getEpochSecond() - at.getEpochSecond(), 86_400L);
    }

    /** The number of signed certificate timestamps in the certificate and in the stapled OCSP response. */
    public int timestamps() {
        return CertificateExtensions.embeddedTimestamps(leaf()) + (stapled == null ? 0 : stapled.timestamps());
    }
}
