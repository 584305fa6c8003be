package dev.plumbline.tls;

import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;

/** Verifies certificate signatures, up to a maximum number. */
final class SignatureVerifier {
    private int remaining;

    /**
     * @param max the maximum number of verifications
     */
    SignatureVerifier(int max) {
        remaining = max;
    }

    /** Whether the maximum is reached; all further results are false. */
    boolean exhausted() {
        return remaining <= 0;
    }

    /** Whether the key of the issuer signed the certificate. */
    boolean isSignedBy(X509Certificate certificate, X509Certificate issuer) {
        if (remaining <= 0) {
            return false;
        }
        remaining--;
        return verifies(certificate, issuer);
    }

    /** Whether the certificate is signed by its own key. */
    boolean isSelfSigned(X509Certificate certificate) {
        return certificate.getSubjectX500Principal().equals(certificate.getIssuerX500Principal())
                && isSignedBy(certificate, certificate);
    }

    private static boolean verifies(X509Certificate certificate, X509Certificate issuer) {
        if (!PublicKeys.isVerifiable(issuer.getPublicKey())) {
            return false;
        }
        try {
            certificate.verify(issuer.getPublicKey());
            return true;
        } catch (GeneralSecurityException | RuntimeException different) {
            // The JDK throws unchecked exceptions for some malformed keys.
            return false;
        }
    }
}
