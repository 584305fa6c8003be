package dev.plumbline.tls;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * The best certification path from a server certificate to a trusted root.
 *
 * @param certificates the leaf first, the trust anchor last if there is one
 * @param end how the path ends
 * @param fault the rule that the path violates although it ends at a trusted root, as a clause; empty if none
 * @param ordered whether the server sent the certificates of the path first and in this order
 * @param unused the number of sent certificates that are not part of the path
 * @param repeated the number of sent certificates that are duplicates
 * @param selfSigned whether the leaf is self-signed
 * @param exhausted whether the search stopped early because there are too many possible paths
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

    /** How a path ends, best first. */
    public enum End {
        /** At a root of the JDK. */
        PUBLIC_ROOT,
        /** At a root that the operator configured. */
        OPERATOR_ROOT,
        /** At a self-signed certificate that is not trusted. */
        UNKNOWN_ROOT,
        /** At a certificate whose issuer is neither trusted nor among the sent certificates. */
        NO_ISSUER
    }

    public CertificatePath {
        certificates = List.copyOf(certificates);
    }

    public X509Certificate leaf() {
        return certificates.get(0);
    }

    /** Whether the path ends at a trusted root and violates no rule. Dates and hostname are not considered. */
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

    /** The certificates whose validity period matters: all except a trusted root (RFC 5280 section 6.1). */
    public List<X509Certificate> validityChecked() {
        return anchored() && certificates.size() > 1 ? certificates.subList(0, certificates.size() - 1) : certificates;
    }

    /** The issuer of the last certificate. */
    String missingIssuer() {
        return DistinguishedNames.shortText(
                certificates.get(certificates.size() - 1).getIssuerX500Principal());
    }

    /** Why the path is not trusted, as a clause. */
    String untrustedReason() {
        return fault.isEmpty() ? '"' + missingIssuer() + "\" is not a trusted root" : fault;
    }

    /** The earliest end of a validity period in {@link #validityChecked()}. */
    public Instant earliestNotAfter() {
        return Collections.min(validityChecked(), Comparator.comparing(X509Certificate::getNotAfter))
                .getNotAfter()
                .toInstant();
    }
}
