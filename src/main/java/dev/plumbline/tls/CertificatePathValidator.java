package dev.plumbline.tls;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAPublicKey;
import java.util.List;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.jspecify.annotations.Nullable;

/** Validates a path except for its signatures, dates and hostname (RFC 5280 sections 4.2.1 and 6.1). */
final class CertificatePathValidator {
    private static final String SERVER_AUTH = KeyPurposeId.id_kp_serverAuth.getId();
    private static final String ANY_PURPOSE = KeyPurposeId.anyExtendedKeyUsage.getId();
    private static final int KEY_CERT_SIGN = 5;

    private CertificatePathValidator() {}

    /**
     * The first rule that a path to a trusted root violates, as a clause; empty if there is none.
     *
     * @param path the leaf first, the root last
     */
    static String fault(List<X509Certificate> path) {
        int intermediates = 0;
        for (int i = 0; i < path.size(); i++) {
            X509Certificate certificate = path.get(i);
            boolean anchor = i == path.size() - 1;
            String fault = i > 0 ? issuerFault(certificate, intermediates, anchor) : null;
            if (fault == null && !(anchor && i > 0)) {
                fault = usageFault(certificate);
            }
            if (fault != null) {
                return fault;
            }
            if (i > 0 && !DistinguishedNames.selfIssued(certificate)) {
                intermediates++;
            }
        }
        return NameConstraints.fault(path);
    }

    private static @Nullable String issuerFault(X509Certificate issuer, int intermediatesBelow, boolean anchor) {
        int pathLength = issuer.getBasicConstraints();
        boolean oldRoot = anchor && issuer.getVersion() < 3;
        if (pathLength < 0 && !oldRoot) {
            return "a certificate that is not a CA certificate signed another certificate";
        }
        boolean[] usage = CertificateExtensions.has(issuer, Extension.keyUsage.getId()) ? issuer.getKeyUsage() : null;
        if (usage != null && !usage[KEY_CERT_SIGN]) {
            return "the key usage of a CA certificate does not allow certificate signing";
        }
        if (pathLength >= 0 && intermediatesBelow > pathLength) {
            return "the chain exceeds the path length constraint of a CA certificate";
        }
        // browsers reject such keys (CA/Browser Forum Baseline Requirements, section 6.1.5)
        // operators can choose to trust a root with a small RSA key
        if (anchor && PublicKeys.weak(issuer.getPublicKey()) && !(issuer.getPublicKey() instanceof RSAPublicKey)) {
            return "the trusted root has a DSA key or a weak elliptic curve key";
        }
        return null;
    }

    private static @Nullable String usageFault(X509Certificate certificate) {
        if (CertificateExtensions.hasUnknownCritical(certificate)) {
            return "a certificate has an unsupported critical extension";
        }
        if (CertificateExtensions.hasInvalidInformationAccess(certificate)) {
            return "the Authority Information Access extension of a certificate is critical or malformed";
        }
        try {
            List<String> purposes = certificate.getExtendedKeyUsage();
            if (purposes != null && !purposes.contains(SERVER_AUTH) && !purposes.contains(ANY_PURPOSE)) {
                return "the extended key usage of a certificate does not allow server authentication";
            }
        } catch (CertificateParsingException unreadable) {
            return "the extended key usage of a certificate cannot be parsed";
        }
        return null;
    }
}
