package dev.plumbline.module.mail.bimi;

import dev.plumbline.tls.CertificateHostnames;
import dev.plumbline.tls.CertificatePathBuilder;
import dev.plumbline.tls.TrustRoots;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A mark certificate (VMC or CMC) and its issuers (draft-fetch-validation-vmc-wchuang). Whether mail services trust the
 * issuer is not evaluated, because each has its own list of issuers.
 *
 * @param issuer the name of the issuer
 * @param names the DNS names in lower case
 * @param purpose whether the extended key usage contains Brand Indicator for Message Identification
 * @param logotype whether the certificate contains a logo
 * @param logoDigest the digest of the uncompressed logo, see {@link SvgLogo#digest}; null if it cannot be read
 * @param chained whether the file also contains the certificate of the issuer
 */
record MarkCertificate(
        String issuer,
        List<String> names,
        Instant notBefore,
        Instant notAfter,
        boolean purpose,
        boolean logotype,
        @Nullable String logoDigest,
        boolean chained) {
    private static final String BRAND_INDICATOR = "1.3.6.1.5.5.7.3.31";
    private static final String LOGOTYPE = "1.3.6.1.5.5.7.1.12";
    private static final Pattern DATA_URI = Pattern.compile("data:image/svg\\+xml;base64,([A-Za-z0-9+/]*+)(=?)");
    private static final String BEGIN = "-----BEGIN CERTIFICATE-----";
    private static final String END = "-----END CERTIFICATE-----";
    private static final int MAX_CERTIFICATES = 10;
    private static final TrustRoots NO_ROOTS = new TrustRoots(List.of(), List.of());

    /**
     * Parses a file in PEM. Takes milliseconds, because it verifies the signatures of the chain.
     *
     * @param at the time of the check
     * @throws CertificateException if the file does not contain a certificate, with the reason as a sentence
     */
    static MarkCertificate parse(byte[] pem, Instant at) throws CertificateException {
        List<X509Certificate> certificates = certificates(new String(pem, StandardCharsets.ISO_8859_1));
        if (certificates.isEmpty()) {
            throw new CertificateException("The file does not contain a certificate in PEM.");
        }
        X509Certificate leaf = certificates.get(0);
        byte[] logotype = leaf.getExtensionValue(LOGOTYPE);
        return new MarkCertificate(
                leaf.getIssuerX500Principal().getName(),
                CertificateHostnames.dnsNames(leaf).stream()
                        .map(name -> name.toLowerCase(Locale.ROOT))
                        .toList(),
                leaf.getNotBefore().toInstant(),
                leaf.getNotAfter().toInstant(),
                purposes(leaf).contains(BRAND_INDICATOR),
                logotype != null,
                logotype == null ? null : logoDigest(logotype),
                CertificatePathBuilder.build(certificates, NO_ROOTS, at)
                                .certificates()
                                .size()
                        > 1);
    }

    private static List<X509Certificate> certificates(String pem) throws CertificateException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        List<X509Certificate> certificates = new ArrayList<>();
        int begin = pem.indexOf(BEGIN);
        while (begin >= 0 && certificates.size() < MAX_CERTIFICATES) {
            int start = begin + BEGIN.length();
            int end = pem.indexOf(END, start);
            if (end < 0) {
                break;
            }
            try {
                byte[] der = Base64.getMimeDecoder().decode(pem.substring(start, end));
                certificates.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der)));
            } catch (CertificateException | IllegalArgumentException malformed) {
                throw new CertificateException(
                        "Certificate %d in the file is not valid.".formatted(certificates.size() + 1), malformed);
            }
            begin = pem.indexOf(BEGIN, end);
        }
        return certificates;
    }

    private static List<String> purposes(X509Certificate certificate) {
        try {
            List<String> purposes = certificate.getExtendedKeyUsage();
            return purposes == null ? List.of() : purposes;
        } catch (CertificateParsingException malformed) {
            return List.of();
        }
    }

    /** Of the first data URI in the extension (RFC 9399 section 4.1). */
    private static @Nullable String logoDigest(byte[] extension) {
        Matcher uri = DATA_URI.matcher(new String(extension, StandardCharsets.ISO_8859_1));
        if (!uri.find()) {
            return null;
        }
        String data = uri.group(1);
        if (uri.group(2).isEmpty()) {
            // The tag of the next element can be a Base64 character. Without padding, it makes the length odd.
            data = data.substring(0, data.length() - data.length() % 4);
        }
        try {
            return SvgLogo.digest(SvgLogo.uncompressed(Base64.getDecoder().decode(data)));
        } catch (IllegalArgumentException | IOException malformed) {
            return null;
        }
    }

    /** Whether the certificate is for a domain, a parent of it, or one selector of the domain. */
    boolean matches(String domain, String selector) {
        return names.stream()
                .anyMatch(name -> domain.equals(name)
                        || domain.endsWith("." + name)
                        || name.equals(selector + "._bimi." + domain));
    }
}
