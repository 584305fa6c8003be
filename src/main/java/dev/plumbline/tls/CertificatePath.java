package dev.plumbline.tls;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/**
 * The best path that leads from a peer's certificate towards a known root.
 *
 * @param certificates the peer's own certificate first; ends with the anchor when there is one
 * @param end how the path ends
 * @param fault the rule that it breaks although it leads to a known root; empty when it breaks none
 * @param ordered whether the peer sent the path's certificates first and in the path's order
 * @param unused how many of the certificates sent the path does without
 * @param repeated how many of the certificates sent were sent before
 * @param selfSigned whether the peer's certificate is signed by its own key
 * @param exhausted whether the search was given up because the certificates allow too many paths
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
        /** At a root that the JDK brings. */
        PUBLIC_ROOT,
        /** At a root that the operator added. */
        OPERATORS_ROOT,
        /** At a certificate that signed itself and that nobody here knows. */
        UNKNOWN_ROOT,
        /** At a certificate whose issuer is neither known nor among those sent. */
        NOWHERE
    }

    public CertificatePath {
        certificates = List.copyOf(certificates);
    }

    /** The certificate that the peer presents as its own. */
    public X509Certificate leaf() {
        return certificates.get(0);
    }

    /** Whether it leads to a known root and breaks no rule; dates and the host are not looked at. */
    public boolean trusted() {
        return anchored() && fault.isEmpty();
    }

    /** Whether it ends at a known root. */
    public boolean anchored() {
        return end == End.PUBLIC_ROOT || end == End.OPERATORS_ROOT;
    }

    /** Whether it ends at a root, known or not. */
    public boolean complete() {
        return end != End.NOWHERE;
    }

    /**
     * What has to be in force for the path to hold: everything but a known root, which is believed
     * for being known (RFC 5280, section 6.1).
     */
    public List<X509Certificate> dated() {
        return anchored() && certificates.size() > 1 ? certificates.subList(0, certificates.size() - 1) : certificates;
    }

    /** The issuer of the last certificate. */
    String missingIssuer() {
        return DistinguishedNames.shortest(
                certificates.get(certificates.size() - 1).getIssuerX500Principal());
    }

    /** Why the path is not trusted, as a clause. */
    String untrustedReason() {
        return fault.isEmpty() ? '"' + missingIssuer() + "\" is not a trusted root" : fault;
    }

    /** When the first of {@link #dated()} ends. */
    public Instant earliestNotAfter() {
        Instant earliest = leaf().getNotAfter().toInstant();
        for (X509Certificate certificate : dated()) {
            Instant end = certificate.getNotAfter().toInstant();
            earliest = end.isBefore(earliest) ? end : earliest;
        }
        return earliest;
    }

    /** How many of {@link #dated()} are not in force at that time. */
    int outOfDate(Instant at) {
        int count = 0;
        for (X509Certificate certificate : dated()) {
            if (at.isAfter(certificate.getNotAfter().toInstant())
                    || at.isBefore(certificate.getNotBefore().toInstant())) {
                count++;
            }
        }
        return count;
    }
}
