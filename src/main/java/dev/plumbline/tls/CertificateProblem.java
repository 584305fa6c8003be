package dev.plumbline.tls;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The reasons to reject a certificate for a host, in order of precedence. */
public enum CertificateProblem {
    /** The value of the field {@code problem} if the certificate does not have a problem; never part of {@link #of}. */
    NONE,
    EXPIRED,
    NOT_YET_VALID,
    HOSTNAME_MISMATCH,
    SELF_SIGNED,
    INCOMPLETE_CHAIN,
    UNTRUSTED_ROOT,
    WEAK_SIGNATURE,
    WEAK_KEY,
    REVOKED,
    /** The TLS handshake with the certificate fails; never part of {@link #of}. */
    HANDSHAKE_FAILED;

    private static final List<CertificateProblem> OF_ONE_CERTIFICATE =
            List.of(EXPIRED, NOT_YET_VALID, WEAK_SIGNATURE, WEAK_KEY);

    /**
     * All problems, in order. Every certificate that the path depends on is checked: an expired intermediate
     * certificate has the same effect as an expired leaf.
     */
    public static Set<CertificateProblem> of(
            CertificatePath path, boolean hostnameMatches, boolean revoked, Instant at) {
        Set<CertificateProblem> problems = EnumSet.noneOf(CertificateProblem.class);
        SignatureVerifier signatures = new SignatureVerifier(CertificatePathBuilder.MAX_CERTIFICATES);
        for (X509Certificate certificate : path.validityChecked()) {
            for (CertificateProblem problem : OF_ONE_CERTIFICATE) {
                if (problem.affects(certificate, at)
                        && !(problem == WEAK_SIGNATURE && signatures.isSelfSigned(certificate))) {
                    problems.add(problem);
                }
            }
        }
        if (!hostnameMatches) {
            problems.add(HOSTNAME_MISMATCH);
        }
        if (revoked) {
            problems.add(REVOKED);
        }
        if (path.end() == CertificatePath.End.NO_ISSUER) {
            problems.add(INCOMPLETE_CHAIN);
        } else if (!path.trusted()) {
            problems.add(path.selfSigned() && !path.anchored() ? SELF_SIGNED : UNTRUSTED_ROOT);
        }
        return problems;
    }

    /** The number of problems that a certificate has by itself. */
    static long count(X509Certificate certificate, Instant at) {
        return OF_ONE_CERTIFICATE.stream()
                .filter(problem -> problem.affects(certificate, at))
                .count();
    }

    private boolean affects(X509Certificate certificate, Instant at) {
        return switch (this) {
            // Valid until the end of this second (RFC 5280 section 4.1.2.5).
            case EXPIRED ->
                at.truncatedTo(ChronoUnit.SECONDS)
                        .isAfter(certificate.getNotAfter().toInstant());
            case NOT_YET_VALID -> at.isBefore(certificate.getNotBefore().toInstant());
            case WEAK_SIGNATURE -> SignatureAlgorithms.broken(certificate);
            case WEAK_KEY -> PublicKeys.weak(certificate.getPublicKey());
            default -> false;
        };
    }

    /** The first certificate of the path that has this problem; the leaf if the problem concerns the whole path. */
    X509Certificate affected(CertificatePath path, Instant at) {
        return path.validityChecked().stream()
                .filter(certificate -> affects(certificate, at))
                .findFirst()
                .orElse(path.leaf());
    }

    /** The problem as a sentence. */
    public String sentence(CertificatePath path, String host, Instant at) {
        X509Certificate certificate = affected(path, at);
        String subject = "The certificate \"" + DistinguishedNames.display(certificate) + '"';
        return switch (this) {
            case NONE -> "The certificate has no problem.";
            case EXPIRED -> subject + " expired on " + certificate.getNotAfter().toInstant() + '.';
            case NOT_YET_VALID ->
                subject + " is not valid before " + certificate.getNotBefore().toInstant() + '.';
            case HOSTNAME_MISMATCH -> "The certificate is not valid for " + host + '.';
            case SELF_SIGNED -> "The certificate is self-signed.";
            case INCOMPLETE_CHAIN ->
                "The server did not send the certificate of the issuer \"" + path.missingIssuer() + "\".";
            case UNTRUSTED_ROOT -> "The certificate chain is not trusted: " + path.untrustedReason() + '.';
            case WEAK_SIGNATURE -> subject + " is signed with " + SignatureAlgorithms.name(certificate) + '.';
            case WEAK_KEY -> subject + " has a weak " + PublicKeys.bits(certificate.getPublicKey()) + "-bit key.";
            case REVOKED -> "The certificate authority has revoked the certificate.";
            case HANDSHAKE_FAILED -> "The TLS handshake with the certificate fails.";
        };
    }
}
