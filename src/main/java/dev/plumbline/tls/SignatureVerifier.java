package dev.plumbline.tls;

import dev.plumbline.signature.VerifiedSignatures;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Verifies a limited number of certificate signatures, each once. */
final class SignatureVerifier {
    private record Signature(X509Certificate certificate, PublicKey key) {}

    /** The key that signed a certificate. There is only one. */
    private final Map<X509Certificate, PublicKey> signers = new HashMap<>();

    private final Set<Signature> invalid = new HashSet<>();
    private int remaining;

    /** @param max the maximum number of signatures to verify */
    SignatureVerifier(int max) {
        remaining = max;
    }

    /** Whether the limit is reached. Further verifications return false. */
    boolean exhausted() {
        return remaining <= 0;
    }

    boolean isSignedBy(X509Certificate certificate, X509Certificate issuer) {
        PublicKey key = issuer.getPublicKey();
        PublicKey signer = signers.get(certificate);
        if (signer != null) {
            return signer.equals(key);
        }
        Signature signature = new Signature(certificate, key);
        if (remaining <= 0 || invalid.contains(signature)) {
            return false;
        }
        remaining--;
        boolean valid = verifies(certificate, key);
        if (valid) {
            signers.put(certificate, key);
        } else {
            invalid.add(signature);
        }
        return valid;
    }

    boolean isSelfSigned(X509Certificate certificate) {
        return DistinguishedNames.selfIssued(certificate) && isSignedBy(certificate, certificate);
    }

    private static boolean verifies(X509Certificate certificate, PublicKey key) {
        if (!PublicKeys.isVerifiable(key)) {
            return false;
        }
        try {
            if (key instanceof ECPublicKey && PublicKeys.weak(key)) {
                // the JDK parses keys on small curves, but does not verify their signatures
                certificate.verify(key, CertificateParser.bouncyCastle());
                return true;
            }
            return VerifiedSignatures.isSigned(certificate, key);
        } catch (GeneralSecurityException | RuntimeException different) {
            // The JDK's providers throw unchecked exceptions for some malformed keys.
            return false;
        }
    }
}
