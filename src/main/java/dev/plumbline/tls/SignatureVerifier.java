package dev.plumbline.tls;

import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;

/** Verifies who signed what, a bounded number of times. */
final class SignatureVerifier {
    private int left;

    /**
     * @param most how many signatures may be verified
     */
    SignatureVerifier(int most) {
        left = most;
    }

    /** Whether the allowance is used up; from then on nothing is signed by anybody. */
    boolean exhausted() {
        return left <= 0;
    }

    /** Whether the issuer's key made the signature under the certificate. */
    boolean signed(X509Certificate certificate, X509Certificate issuer) {
        if (left <= 0) {
            return false;
        }
        left--;
        return verifies(certificate, issuer);
    }

    /** Whether its own key made the signature under the certificate. */
    boolean selfSigned(X509Certificate certificate) {
        return certificate.getSubjectX500Principal().equals(certificate.getIssuerX500Principal())
                && signed(certificate, certificate);
    }

    private static boolean verifies(X509Certificate certificate, X509Certificate issuer) {
        if (!PublicKeys.affordable(issuer.getPublicKey())) {
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
