package dev.plumbline.tls;

import dev.plumbline.check.CheckError;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that was seen of a peer's certificate.
 *
 * @param host the name that the certificate is judged for
 * @param hostMatches whether it was issued for that name
 * @param ip the address that showed it
 * @param sent the certificates in the order in which they were sent, at most 32
 * @param sentCount how many were sent
 * @param path the best path towards a known root
 * @param at when it was seen
 * @param stapled what the response that the peer sent along says of revocation; null when it sent
 *     none
 * @param asked what the issuer's sources say of revocation; null when they were not asked
 * @param version for example TLSv1.3; null when the handshake was not finished
 * @param cipher null when the handshake was not finished
 * @param clientCertificateAsked whether the peer asked for a certificate of the client
 * @param failure why the handshake was not finished; null when it was
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
        @Nullable RevocationStatement asked,
        @Nullable String version,
        @Nullable String cipher,
        boolean clientCertificateAsked,
        @Nullable CheckError failure) {
    public CertificateEvidence {
        sent = List.copyOf(sent);
    }

    public X509Certificate leaf() {
        return sent.get(0);
    }

    /** Whether it is revoked; null when that is not known. */
    public @Nullable Boolean revoked() {
        for (RevocationStatement answer : new RevocationStatement[] {stapled, asked}) {
            if (answer != null && answer.determined()) {
                return answer.status() == RevocationStatement.Status.REVOKED;
            }
        }
        return null;
    }

    /** How many whole days are left; negative once it has expired. */
    public long daysRemaining() {
        return Math.floorDiv(leaf().getNotAfter().toInstant().getEpochSecond() - at.getEpochSecond(), 86_400L);
    }
}
