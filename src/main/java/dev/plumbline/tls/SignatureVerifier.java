package dev.plumbline.tls;

import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;

/** Verifies a limited number of certificate signatures. */
final class SignatureVerifier {
    private int remaining;

    /** @param max the maximum number of signatures to verify */
    SignatureVerifier(int max) {
        remaining = max;
    }

    /** Whether the limit is reached. Further verifications return false. */
    boolean exhausted() {
        return remaining <= 0;
    }

    /** Whether the certificate is signed with the issuer's key. */
    boolean isSignedBy(X509Certificate certificate, X509Certificate issuer) {
        if (remaining <= 0) {
            return false;
        }
        remaining--;
        return verifies(certificate, issuer);
    }

    /** Whether the certificate is signed with its own key. */
    boolean isSelfSigned(X509Certificate certificate) {
        return DistinguishedNames.selfIssued(certificate) && isSignedBy(certificate, certificate);
    }

    private static boolean verifies(X509Certificate certificate, X509Certificate issuer) {
        if (!PublicKeys.isVerifiable(issuer.getPublicKey())) {
            return false;
        }
        try {
            certificate.verify(issuer.getPublicKey());
            return true;
        } catch (GeneralSecurityException | RuntimeException different) {
            // The JDK's providers throw unchecked exceptions for some malformed keys.
            return false;
        }
    }
}
