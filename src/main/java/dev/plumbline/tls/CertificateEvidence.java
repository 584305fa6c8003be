package dev.plumbline.tls;

import dev.plumbline.check.CheckError;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The evidence about the certificate of a TLS server.
 *
 * @param host the host that the certificate must match
 * @param hostMatches whether it matches
 * @param ip the address of the server
 * @param sent the certificates in the order of the server, at most 32
 * @param sentCount the number of certificates sent
 * @param path the best path to a root
 * @param at the time of the check
 * @param stapled the status by the stapled OCSP response; null if there is none
 * @param queried the status by the sources of the issuer; null if they were not queried
 * @param version for example TLSv1.3; null if the handshake was not completed
 * @param cipher null if the handshake was not completed
 * @param clientCertificateRequested whether the server requested a client certificate
 * @param failure the error of a handshake that was not completed; null if it was
 */
public record CertificateEvidence(
        String host,
        boolean hostMatches,
        String ip,
        List<X509Certificate> sent,
        int sentCount,
        CertificatePath path,
        Instant at,
        @Nullable RevocationStatement stapled,
        @Nullable RevocationStatement queried,
        @Nullable String version,
        @Nullable String cipher,
        boolean clientCertificateRequested,
        @Nullable CheckError failure) {
    public CertificateEvidence {
        sent = List.copyOf(sent);
    }

    public X509Certificate leaf() {
        return sent.get(0);
    }

    /** Whether the certificate is revoked; null if unknown. */
    public @Nullable Boolean revoked() {
        for (RevocationStatement statement : new RevocationStatement[] {stapled, queried}) {
            if (statement != null && statement.determined()) {
                return statement.status() == RevocationStatement.Status.REVOKED;
            }
        }
        return null;
    }

    /** The whole days until the expiry; negative after it. */
    public long daysRemaining() {
        return Math.floorDiv(leaf().getNotAfter().toInstant().getEpochSecond() - at.getEpochSecond(), 86_400L);
    }
}
