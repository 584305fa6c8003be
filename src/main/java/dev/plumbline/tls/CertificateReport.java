package dev.plumbline.tls;

import com.google.common.hash.Hashing;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.FieldType;
import java.math.BigInteger;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The report on a certificate; shared by every module that looks at one. Pure. */
public final class CertificateReport {
    private CertificateReport() {}

    /** The fields, in their order. */
    public static FieldDescription[] fields() {
        return new FieldDescription[] {
            FieldDescription.bool("valid", "Valid", "Whether a browser would accept it: there is no problem."),
            FieldDescription.string(
                            "problem",
                            "Problem",
                            "The first thing that is wrong; whatever else is wrong stands in the findings.")
                    .oneOf(Stream.concat(
                                    Stream.of(CertificateProblem.NONE),
                                    Stream.of(CertificateProblem.values()).map(CertificateProblem::id))
                            .toArray(String[]::new)),
            FieldDescription.bool(
                    "trusted",
                    "Trusted",
                    "Whether the chain leads to a known root by the rules, whatever the dates and the name."),
            FieldDescription.bool(
                    "hostname_match",
                    "Name matches",
                    "Whether the certificate was issued for the name that was asked for."),
            FieldDescription.bool("self_signed", "Self-signed", "Whether the certificate is signed by its own key."),
            FieldDescription.time("not_before", "Valid from", "When the certificate begins to be valid."),
            FieldDescription.time("not_after", "Valid until", "When the certificate expires."),
            FieldDescription.integer(
                    "days_remaining", "Days left", "Whole days until it expires, rounded down; negative once it has."),
            FieldDescription.time(
                    "chain_earliest_not_after",
                    "Chain valid until",
                    "When the first certificate on the way to the root expires, the root itself aside."),
            FieldDescription.string("subject_cn", "Common name", "The name in the certificate's subject (CN).")
                    .orNull(),
            FieldDescription.array(
                    "sans",
                    "Names",
                    "The host names and addresses that it was issued for (subject alternative names).",
                    FieldType.STRING),
            FieldDescription.string("issuer_cn", "Issuer", "The common name of whoever issued it.")
                    .orNull(),
            FieldDescription.string("issuer_org", "Issuer's organisation", "The organisation that issued it.")
                    .orNull(),
            FieldDescription.string("serial", "Serial number", "The issuer's number for it, in hexadecimal."),
            FieldDescription.string("sha256", "Fingerprint", "SHA-256 of the whole certificate, in hexadecimal."),
            FieldDescription.string(
                    "spki_sha256",
                    "Key fingerprint",
                    "SHA-256 of its public key (SPKI), in hexadecimal; it stays when a key is kept."),
            FieldDescription.string("key_type", "Key type", "The kind of its key: RSA, EC, Ed25519 or other."),
            FieldDescription.integer("key_bits", "Key size", "The size of its key in bits, as openssl counts it."),
            FieldDescription.string(
                    "signature_algorithm", "Signature algorithm", "How the issuer signed it, as openssl names it."),
            FieldDescription.bool("wildcard", "Wildcard", "Whether it stands for all hosts of a domain."),
            FieldDescription.table(
                    "chain",
                    "Chain",
                    "The certificates in the order in which the server sent them, at most 32.",
                    FieldDescription.string("subject", "Subject", "Whom the certificate is about."),
                    FieldDescription.string("issuer", "Issuer", "Who issued it."),
                    FieldDescription.time("not_before", "Valid from", "When it begins to be valid."),
                    FieldDescription.time("not_after", "Valid until", "When it expires."),
                    FieldDescription.string("sha256", "Fingerprint", "SHA-256 of it, in hexadecimal."),
                    FieldDescription.string("key_type", "Key type", "The kind of its key."),
                    FieldDescription.integer("key_bits", "Key size", "The size of its key in bits."),
                    FieldDescription.string("signature_algorithm", "Signature algorithm", "How it was signed.")),
            FieldDescription.bool(
                    "chain_complete",
                    "Chain complete",
                    "Whether the certificates that were sent lead to a root, known or not."),
            FieldDescription.bool(
                    "chain_order_ok",
                    "Chain in order",
                    "Whether each certificate on the way to the root comes right after what it certifies."),
            FieldDescription.string("tls_version", "TLS version", "The version of TLS that was agreed on."),
            FieldDescription.string("cipher", "Cipher", "The cipher suite that was agreed on (IANA name)."),
            FieldDescription.bool(
                    "ocsp_stapled",
                    "OCSP stapled",
                    "Whether the server sent along the issuer's statement that it is not revoked."),
            FieldDescription.integer(
                    "sct_count",
                    "Transparency proofs",
                    "How many proofs of public logging (signed certificate timestamps) it and the stapled "
                            + "statement hold; those in the TLS extension are not seen."),
            FieldDescription.bool(
                    "must_staple", "Must staple", "Whether it demands that such a statement is sent along."),
            FieldDescription.bool(
                            "revoked",
                            "Revoked",
                            "Whether the issuer has revoked it; null when nobody was asked or nobody knows.")
                    .orNull(),
            FieldDescription.string("ip", "Address", "The IP address that showed the certificate.")
        };
    }

    /**
     * @param warnDays how many days before its end an expiry is worth a warning; 0 for never
     */
    public static Evaluation evaluate(CertificateEvidence seen, long warnDays) {
        Set<CertificateProblem> problems = problems(seen);
        return new Evaluation(values(seen, problems), CertificateFindings.of(seen, problems, warnDays), seen.failure());
    }

    /** Everything that is wrong, in the order in which it is named. */
    public static Set<CertificateProblem> problems(CertificateEvidence seen) {
        return CertificateProblem.of(seen.path(), seen.hostMatches(), Boolean.TRUE.equals(seen.revoked()), seen.at());
    }

    private static Map<String, @Nullable Object> values(CertificateEvidence seen, Set<CertificateProblem> problems) {
        X509Certificate leaf = seen.leaf();
        CertificatePath path = seen.path();
        List<String> names = CertificateExtensions.alternativeNames(leaf);
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("valid", problems.isEmpty());
        values.put(
                "problem",
                problems.isEmpty()
                        ? CertificateProblem.NONE
                        : problems.iterator().next().id());
        values.put("trusted", path.trusted());
        values.put("hostname_match", seen.hostMatches());
        values.put("self_signed", path.selfSigned());
        values.put("not_before", leaf.getNotBefore().toInstant());
        values.put("not_after", leaf.getNotAfter().toInstant());
        values.put("days_remaining", seen.daysRemaining());
        values.put("chain_earliest_not_after", path.earliestNotAfter());
        values.put("subject_cn", DistinguishedNames.commonName(leaf.getSubjectX500Principal()));
        values.put("sans", names);
        values.put("issuer_cn", DistinguishedNames.commonName(leaf.getIssuerX500Principal()));
        values.put("issuer_org", DistinguishedNames.organization(leaf.getIssuerX500Principal()));
        values.put("serial", serial(leaf.getSerialNumber()));
        values.put("sha256", fingerprint(leaf));
        values.put(
                "spki_sha256",
                Hashing.sha256().hashBytes(leaf.getPublicKey().getEncoded()).toString());
        values.put("key_type", PublicKeys.type(leaf.getPublicKey()));
        values.put("key_bits", PublicKeys.bits(leaf.getPublicKey()));
        values.put("signature_algorithm", SignatureAlgorithms.name(leaf));
        values.put("wildcard", names.stream().anyMatch(name -> name.startsWith("*.")));
        values.put("chain", seen.sent().stream().map(CertificateReport::row).toList());
        values.put("chain_complete", path.complete());
        values.put("chain_order_ok", path.ordered());
        values.put("tls_version", seen.version());
        values.put("cipher", seen.cipher());
        values.put("ocsp_stapled", seen.stapled() != null);
        values.put("sct_count", timestamps(seen));
        values.put("must_staple", CertificateExtensions.mustStaple(leaf));
        values.put("revoked", seen.revoked());
        values.put("ip", seen.ip());
        return values;
    }

    private static Map<String, Object> row(X509Certificate certificate) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("subject", DistinguishedNames.text(certificate.getSubjectX500Principal()));
        row.put("issuer", DistinguishedNames.text(certificate.getIssuerX500Principal()));
        row.put("not_before", certificate.getNotBefore().toInstant());
        row.put("not_after", certificate.getNotAfter().toInstant());
        row.put("sha256", fingerprint(certificate));
        row.put("key_type", PublicKeys.type(certificate.getPublicKey()));
        row.put("key_bits", PublicKeys.bits(certificate.getPublicKey()));
        row.put("signature_algorithm", SignatureAlgorithms.name(certificate));
        return row;
    }

    static int timestamps(CertificateEvidence seen) {
        RevocationStatement stapled = seen.stapled();
        return CertificateExtensions.embeddedTimestamps(seen.leaf()) + (stapled == null ? 0 : stapled.timestamps());
    }

    /** As openssl prints it: whole bytes in upper case. */
    static String serial(BigInteger number) {
        String digits = number.abs().toString(16).toUpperCase(Locale.ROOT);
        String whole = digits.length() % 2 == 0 ? digits : "0" + digits;
        return number.signum() < 0 ? "-" + whole : whole;
    }

    public static String fingerprint(X509Certificate certificate) {
        try {
            return Hashing.sha256().hashBytes(certificate.getEncoded()).toString();
        } catch (CertificateEncodingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
