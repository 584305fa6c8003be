package dev.plumbline.tls;

import com.google.common.hash.Hashing;
import dev.plumbline.sheet.NullOnError;
import java.math.BigInteger;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of {@code certificate.yaml}, for every module that reports on a certificate. {@code tlsVersion} and
 * {@code cipher} are null beside an error, if the handshake did not complete.
 */
public record CertificateReport(
        boolean valid,
        CertificateProblem problem,
        boolean trusted,
        boolean hostnameMatch,
        boolean selfSigned,
        Instant notBefore,
        Instant notAfter,
        long daysRemaining,
        @Nullable Instant expiryWarningAt,
        Instant chainEarliestNotAfter,
        @Nullable String subjectCn,
        List<String> sans,
        @Nullable String issuerCn,
        @Nullable String issuerOrg,
        String serial,
        String sha256,
        String spkiSha256,
        String keyType,
        int keyBits,
        String signatureAlgorithm,
        boolean wildcard,
        List<ChainCertificate> chain,
        boolean chainComplete,
        boolean chainOrderOk,
        @NullOnError String tlsVersion,
        @NullOnError String cipher,
        @Nullable Boolean postQuantum,
        boolean ocspStapled,
        int sctCount,
        boolean mustStaple,
        @Nullable Boolean revoked,
        String ip) {

    /** A certificate of the chain that the server sent. */
    public record ChainCertificate(
            String subject,
            String issuer,
            Instant notBefore,
            Instant notAfter,
            String sha256,
            String keyType,
            int keyBits,
            String signatureAlgorithm) {

        static ChainCertificate of(X509Certificate certificate) {
            return new ChainCertificate(
                    DistinguishedNames.text(certificate.getSubjectX500Principal()),
                    DistinguishedNames.text(certificate.getIssuerX500Principal()),
                    certificate.getNotBefore().toInstant(),
                    certificate.getNotAfter().toInstant(),
                    Hashing.sha256()
                            .hashBytes(CertificateParser.encoded(certificate))
                            .toString(),
                    PublicKeys.type(certificate.getPublicKey()),
                    PublicKeys.bits(certificate.getPublicKey()),
                    SignatureAlgorithms.name(certificate));
        }
    }

    static CertificateReport of(
            CertificateEvidence evidence, Set<CertificateProblem> problems, @Nullable Long warnDays) {
        X509Certificate certificate = evidence.leaf();
        CertificatePath path = evidence.path();
        ChainCertificate leaf = ChainCertificate.of(certificate);
        return new CertificateReport(
                problems.isEmpty(),
                problems.stream().findFirst().orElse(CertificateProblem.NONE),
                path.trusted(),
                evidence.hostMatches(),
                path.selfSigned(),
                leaf.notBefore(),
                leaf.notAfter(),
                evidence.daysRemaining(),
                CertificateExpiry.warningAt(certificate, warnDays),
                path.earliestNotAfter(),
                DistinguishedNames.commonName(certificate.getSubjectX500Principal()),
                evidence.names().listed(),
                DistinguishedNames.commonName(certificate.getIssuerX500Principal()),
                DistinguishedNames.organization(certificate.getIssuerX500Principal()),
                serial(certificate.getSerialNumber()),
                leaf.sha256(),
                Hashing.sha256()
                        .hashBytes(certificate.getPublicKey().getEncoded())
                        .toString(),
                leaf.keyType(),
                leaf.keyBits(),
                leaf.signatureAlgorithm(),
                evidence.names().wildcard(),
                evidence.sent().stream()
                        .map(sent -> sent == certificate ? leaf : ChainCertificate.of(sent))
                        .toList(),
                path.complete(),
                path.ordered(),
                evidence.version(),
                evidence.cipher(),
                evidence.postQuantum(),
                evidence.stapled() != null,
                evidence.timestamps(),
                CertificateExtensions.mustStaple(certificate),
                evidence.revoked(),
                evidence.ip());
    }

    /** Hexadecimal in upper case with an even number of digits, as OpenSSL prints it. */
    public static String serial(BigInteger number) {
        String digits = number.abs().toString(16).toUpperCase(Locale.ROOT);
        String padded = digits.length() % 2 == 0 ? digits : "0" + digits;
        return number.signum() < 0 ? "-" + padded : padded;
    }
}
