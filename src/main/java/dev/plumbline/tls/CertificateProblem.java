package dev.plumbline.tls;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What can be wrong with a certificate for a host, in the order in which it is named. */
public enum CertificateProblem {
    EXPIRED,
    NOT_YET_VALID,
    HOSTNAME_MISMATCH,
    SELF_SIGNED,
    INCOMPLETE_CHAIN,
    UNTRUSTED_ROOT,
    WEAK_SIGNATURE,
    WEAK_KEY,
    REVOKED;

    /** The word for a certificate without a problem. */
    public static final String NONE = "none";

    /** The name used in answers, for example {@code not_yet_valid}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Everything that is wrong, in order. Whatever the path needs must be in force and strong enough:
     * an expired intermediate makes the certificate as useless as if it had expired itself.
     */
    public static Set<CertificateProblem> of(
            CertificatePath path, boolean hostnameMatches, boolean revoked, Instant at) {
        Set<CertificateProblem> found = EnumSet.noneOf(CertificateProblem.class);
        SignatureVerifier signatures = new SignatureVerifier(CertificatePathBuilder.MAX_CERTIFICATES);
        for (X509Certificate certificate : path.validityChecked()) {
            if (expired(certificate, at)) {
                found.add(EXPIRED);
            }
            if (notYetValid(certificate, at)) {
                found.add(NOT_YET_VALID);
            }
            if (SignatureAlgorithms.broken(certificate) && !signatures.isSelfSigned(certificate)) {
                found.add(WEAK_SIGNATURE);
            }
            if (PublicKeys.weak(certificate.getPublicKey())) {
                found.add(WEAK_KEY);
            }
        }
        if (!hostnameMatches) {
            found.add(HOSTNAME_MISMATCH);
        }
        if (revoked) {
            found.add(REVOKED);
        }
        switch (path.end()) {
            case NO_ISSUER -> found.add(INCOMPLETE_CHAIN);
            case UNKNOWN_ROOT -> found.add(path.selfSigned() ? SELF_SIGNED : UNTRUSTED_ROOT);
            default -> {
                if (!path.fault().isEmpty()) {
                    found.add(UNTRUSTED_ROOT);
                }
            }
        }
        return found;
    }

    public static boolean expired(X509Certificate certificate, Instant at) {
        return at.isAfter(certificate.getNotAfter().toInstant());
    }

    public static boolean notYetValid(X509Certificate certificate, Instant at) {
        return at.isBefore(certificate.getNotBefore().toInstant());
    }

    /** What is wrong, in one sentence. */
    public String sentence(CertificatePath path, String host, Instant at) {
        return switch (this) {
            case EXPIRED -> expiredSentence(path, at);
            case NOT_YET_VALID -> notYetValidSentence(path, at);
            case HOSTNAME_MISMATCH -> hostnameSentence(path.leaf(), host);
            case SELF_SIGNED -> "The certificate is signed by its own key, so nobody vouches for it.";
            case INCOMPLETE_CHAIN ->
                "The server did not send the certificate of the issuer \""
                        + issuer(path)
                        + "\", and it is not a known root.";
            case UNTRUSTED_ROOT ->
                path.fault().isEmpty()
                        ? "The chain ends in \"" + issuer(path) + "\", which is not a known root."
                        : "The chain leads to a known root, but " + path.fault() + ".";
            case WEAK_SIGNATURE -> weakSignatureSentence(path);
            case WEAK_KEY -> weakKeySentence(path);
            case REVOKED -> "The issuer has revoked the certificate.";
        };
    }

    private static String expiredSentence(CertificatePath path, Instant at) {
        for (X509Certificate certificate : path.validityChecked()) {
            if (expired(certificate, at)) {
                return which(path, certificate) + " expired on " + second(certificate.getNotAfter()) + ".";
            }
        }
        throw new IllegalStateException("nothing has expired");
    }

    private static String notYetValidSentence(CertificatePath path, Instant at) {
        for (X509Certificate certificate : path.validityChecked()) {
            if (notYetValid(certificate, at)) {
                return which(path, certificate) + " is valid only from " + second(certificate.getNotBefore()) + ".";
            }
        }
        throw new IllegalStateException("everything is in force");
    }

    private static String hostnameSentence(X509Certificate leaf, String host) {
        return CertificateExtensions.alternativeNames(leaf).isEmpty()
                ? "The certificate names no host in its subject alternative names, so it is not for " + host + "."
                : "The certificate is not for " + host + ".";
    }

    private static String weakSignatureSentence(CertificatePath path) {
        for (X509Certificate certificate : path.validityChecked()) {
            if (SignatureAlgorithms.broken(certificate)) {
                return which(path, certificate)
                        + " is signed with "
                        + SignatureAlgorithms.name(certificate)
                        + ", which can be forged.";
            }
        }
        throw new IllegalStateException("no signature is weak");
    }

    private static String weakKeySentence(CertificatePath path) {
        for (X509Certificate certificate : path.validityChecked()) {
            if (PublicKeys.weak(certificate.getPublicKey())) {
                return which(path, certificate)
                        + " has a "
                        + PublicKeys.type(certificate.getPublicKey())
                        + " key of "
                        + PublicKeys.bits(certificate.getPublicKey())
                        + " bits, which is too weak.";
            }
        }
        throw new IllegalStateException("no key is weak");
    }

    private static String which(CertificatePath path, X509Certificate certificate) {
        return certificate.equals(path.leaf())
                ? "The certificate"
                : "The issuer's certificate \""
                        + DistinguishedNames.shortText(certificate.getSubjectX500Principal())
                        + '"';
    }

    private static String issuer(CertificatePath path) {
        X509Certificate last = path.certificates().get(path.certificates().size() - 1);
        return DistinguishedNames.shortText(last.getIssuerX500Principal());
    }

    private static String second(java.util.Date date) {
        return date.toInstant().truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
