package dev.plumbline.tls;

import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.regex.Pattern;

/** The OpenSSL names of signature algorithms. */
public final class SignatureAlgorithms {
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("1.2.840.113549.1.1.2", "md2WithRSAEncryption"),
            Map.entry("1.2.840.113549.1.1.4", "md5WithRSAEncryption"),
            Map.entry("1.2.840.113549.1.1.5", "sha1WithRSAEncryption"),
            Map.entry("1.3.14.3.2.29", "sha1WithRSA"),
            Map.entry("1.2.840.113549.1.1.14", "sha224WithRSAEncryption"),
            Map.entry("1.2.840.113549.1.1.11", "sha256WithRSAEncryption"),
            Map.entry("1.2.840.113549.1.1.12", "sha384WithRSAEncryption"),
            Map.entry("1.2.840.113549.1.1.13", "sha512WithRSAEncryption"),
            Map.entry("1.2.840.113549.1.1.10", "rsassaPss"),
            Map.entry("1.2.840.10045.4.1", "ecdsa-with-SHA1"),
            Map.entry("1.2.840.10045.4.3.1", "ecdsa-with-SHA224"),
            Map.entry("1.2.840.10045.4.3.2", "ecdsa-with-SHA256"),
            Map.entry("1.2.840.10045.4.3.3", "ecdsa-with-SHA384"),
            Map.entry("1.2.840.10045.4.3.4", "ecdsa-with-SHA512"),
            Map.entry("1.2.840.10040.4.3", "dsaWithSHA1"),
            Map.entry("2.16.840.1.101.3.4.3.2", "dsa_with_SHA256"),
            Map.entry("1.3.101.112", "ED25519"),
            Map.entry("1.3.101.113", "ED448"));

    private static final Pattern BROKEN = Pattern.compile("md2|md5|sha1", Pattern.CASE_INSENSITIVE);

    private SignatureAlgorithms() {}

    public static String name(X509Certificate certificate) {
        return NAMES.getOrDefault(certificate.getSigAlgOID(), certificate.getSigAlgName());
    }

    /** Whether the certificate is signed with MD2, MD5 or SHA-1. */
    public static boolean broken(X509Certificate certificate) {
        return BROKEN.matcher(NAMES.getOrDefault(certificate.getSigAlgOID(), ""))
                .find();
    }
}
