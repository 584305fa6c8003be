package dev.plumbline.tls;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/**
 * The best path from the certificate of a peer to a root.
 *
 * @param certificates the certificate of the peer first; the trust anchor last, if there is one
 * @param end how the path ends
 * @param fault the rule that a path to a trusted root violates; empty if it violates none
 * @param ordered whether the peer sent the certificates of the path first and in order
 * @param unused the number of certificates sent that the path does not contain
 * @param repeated the number of duplicates among the certificates sent
 * @param selfSigned whether the certificate of the peer is signed by its own key
 * @param exhausted whether the search was stopped at its limits
 */
public record CertificatePath(
        List<X509Certificate> certificates,
        End end,
        String fault,
        boolean ordered,
        int unused,
        int repeated,
        boolean selfSigned,
        boolean exhausted) {

    /** How a path ends, the best first. */
    public enum End {
        /** At a root of the JDK. */
        PUBLIC_ROOT,
        /** At a root that the operator added. */
        OPERATOR_ROOT,
        /** At a self-signed certificate that is not a trusted root. */
        UNKNOWN_ROOT,
        /** At a certificate whose issuer is unknown and was not sent. */
        NO_ISSUER
    }

    public CertificatePath {
        certificates = List.copyOf(certificates);
    }

    /** The certificate of the peer itself. */
    public X509Certificate leaf() {
        return certificates.get(0);
    }

    /**
     * Whether the path ends at a trusted root and violates no rule. Validity periods and hostnames
     * do not count.
     */
    public boolean trusted() {
        return anchored() && fault.isEmpty();
    }

    /** Whether the path ends at a trusted root. */
    public boolean anchored() {
        return end == End.PUBLIC_ROOT || end == End.OPERATOR_ROOT;
    }

    /** Whether the path ends at a root, trusted or not. */
    public boolean complete() {
        return end != End.NO_ISSUER;
    }

    /**
     * The certificates whose validity period counts: all except a trusted root (RFC 5280 section
     * 6.1).
     */
    public List<X509Certificate> validityChecked() {
        return anchored() && certificates.size() > 1 ? certificates.subList(0, certificates.size() - 1) : certificates;
    }

    /** The earliest expiry of {@link #validityChecked()}. */
    public Instant earliestNotAfter() {
        Instant earliest = leaf().getNotAfter().toInstant();
        for (X509Certificate certificate : validityChecked()) {
            Instant end = certificate.getNotAfter().toInstant();
            earliest = end.isBefore(earliest) ? end : earliest;
        }
        return earliest;
    }

    /** The number of {@link #validityChecked()} that are not valid at this time. */
    int invalidCount(Instant at) {
        int count = 0;
        for (X509Certificate certificate : validityChecked()) {
            if (at.isAfter(certificate.getNotAfter().toInstant())
                    || at.isBefore(certificate.getNotBefore().toInstant())) {
                count++;
            }
        }
        return count;
    }
}
