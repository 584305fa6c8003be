package dev.plumbline.tls;

import dev.plumbline.sheet.FindingCollector;
import java.time.Instant;
import java.util.List;

/** The findings of {@code certificate.yaml}, for every module that reports on a certificate. */
public interface CertificateFindings extends FindingCollector {
    void expired(String subject, Instant date);

    void notYetValid(String subject, Instant date);

    void hostnameMismatch(String host, List<String> names);

    void selfSigned();

    void incompleteChain(String issuer);

    void untrustedRoot(String reason);

    void weakSignature(String subject, String algorithm);

    void weakKey(String subject, int bits, String type);

    void revoked();

    void handshakeFailed(String reason);

    void expiryImminent(String timeLeft, String threshold);

    void chainExpiryImminent(String timeLeft, String threshold);

    void expiringSoon(String timeLeft, String threshold);

    void chainExpiringSoon(String timeLeft, String threshold);

    void chainOutOfOrder();

    void extraCertificates(int count, int unused, int repeated);

    void tooManyCertificates(int count, int checked);

    void chainTooComplex();

    void legacyTlsVersion(String version);

    void weakCipher(String cipher);

    void notStapled();

    void mustStapleMissing();

    void stapleUnusable(String reason);

    void revocationUnknown(String reason);

    void noScts();

    void postQuantumKeyExchange(String group);

    void classicalKeyExchange(String group);

    void clientCertificateRequested();
}
