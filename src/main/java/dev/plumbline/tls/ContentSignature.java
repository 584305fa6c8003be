package dev.plumbline.tls;

import dev.plumbline.signature.VerifiedSignatures;
import java.io.IOException;
import java.io.OutputStream;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.operator.ContentVerifier;
import org.bouncycastle.operator.DefaultSignatureNameFinder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;

/** Verifies the signatures of CRLs and OCSP responses. */
final class ContentSignature {
    private static final DefaultSignatureNameFinder NAMES = new DefaultSignatureNameFinder();

    private ContentSignature() {}

    /** Whether the signature of a part of the data is valid; false if it is malformed or not supported. */
    static boolean isValid(
            AlgorithmIdentifier algorithm, PublicKey key, byte[] data, int offset, int length, byte[] signature) {
        try {
            if (!algorithm.getAlgorithm().equals(PKCSObjectIdentifiers.id_RSASSA_PSS)) {
                return VerifiedSignatures.isValid(
                        NAMES.getAlgorithmName(algorithm), key, data, offset, length, signature);
            }
            // RSASSA-PSS has parameters, which VerifiedSignatures does not support
            ContentVerifier verifier =
                    new JcaContentVerifierProviderBuilder().build(key).get(algorithm);
            try (OutputStream out = verifier.getOutputStream()) {
                out.write(data, offset, length);
            }
            return verifier.verify(signature);
        } catch (GeneralSecurityException | OperatorCreationException | IOException | RuntimeException unsupported) {
            // Providers throw unchecked exceptions for some malformed content.
            return false;
        }
    }
}
