package dev.plumbline.tls;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Provider;
import java.security.PublicKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.util.Properties;

/**
 * Parses the certificates that a server sent, the leaf first, up to {@value #MAX_BYTES} bytes.
 *
 * <p>The JDK rejects certificates that most clients accept, for example with an empty subject and a subject alternative
 * name that is not critical. Bouncy Castle parses them.
 */
public final class CertificateParser {
    /** The default limit of OpenSSL. */
    static final int MAX_BYTES = 100 * 1024;

    /** A property of Bouncy Castle. */
    private static final String ALLOW_EMPTY_ISSUER = "org.bouncycastle.x509.allow_empty_issuer_cert";

    /** More take milliseconds, for example because of thousands of names. */
    private static final int MAX_EVENT_LOOP_BYTES = 16 * 1024;

    private CertificateParser() {}

    /** Loaded at the first use, because that takes a tenth of a second. */
    private static final class BouncyCastle {
        static final BouncyCastleProvider PROVIDER = new BouncyCastleProvider();
    }

    static Provider bouncyCastle() {
        return BouncyCastle.PROVIDER;
    }

    /** Whether the certificates are small enough to be parsed and evaluated on an event loop. */
    public static boolean isCheap(List<? extends Certificate> sent) {
        return sent.stream()
                        .mapToInt(certificate -> encoded(certificate).length)
                        .sum()
                <= MAX_EVENT_LOOP_BYTES;
    }

    /** The DER encoding of a certificate that a TLS engine or this class has read. */
    public static byte[] encoded(Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (CertificateEncodingException broken) {
            throw new IllegalStateException("a certificate has no encoding", broken);
        }
    }

    /**
     * Parses certificates with the JDK.
     *
     * @throws CertificateException if the JDK rejects one of them
     */
    public static List<X509Certificate> parse(List<? extends Certificate> sent) throws CertificateException {
        List<X509Certificate> certificates = new ArrayList<>(sent.size());
        for (byte[] der : limited(encoded(sent))) {
            certificates.add(parse(CertificateFactory.getInstance("X.509"), der));
        }
        return certificates;
    }

    /**
     * Parses certificates with the JDK, or with Bouncy Castle if the JDK rejects one. Omits those that neither can
     * parse. Blocks; call it on a worker thread.
     *
     * @throws CertificateException if neither can parse the leaf
     */
    public static List<X509Certificate> parseLeniently(List<? extends Certificate> sent) throws CertificateException {
        return parseReadable(encoded(sent), false);
    }

    /**
     * Parses encoded certificates for a report, also those that TLS clients reject. Omits those that cannot be parsed.
     * Blocks; call it on a worker thread.
     *
     * @throws CertificateException if the leaf cannot be parsed
     */
    public static List<X509Certificate> parseAny(List<byte[]> sent) throws CertificateException {
        List<X509Certificate> certificates = parseReadable(sent, true);
        if (certificates.isEmpty()) {
            throw new CertificateException("no certificate");
        }
        return certificates;
    }

    private static List<X509Certificate> parseReadable(List<byte[]> sent, boolean any) throws CertificateException {
        List<X509Certificate> certificates = new ArrayList<>(sent.size());
        for (byte[] der : limited(sent)) {
            try {
                certificates.add(parse(der, any));
            } catch (CertificateException unreadable) {
                if (certificates.isEmpty()) {
                    throw unreadable;
                }
            }
        }
        return certificates;
    }

    /** @param any whether to accept a certificate that TLS clients reject */
    private static X509Certificate parse(byte[] der, boolean any) throws CertificateException {
        try {
            return parse(CertificateFactory.getInstance("X.509"), der);
        } catch (CertificateException rejected) {
            Properties.setThreadOverride(ALLOW_EMPTY_ISSUER, any);
            try {
                X509Certificate certificate =
                        parse(CertificateFactory.getInstance("X.509", BouncyCastle.PROVIDER), der);
                PublicKey key = Objects.requireNonNull(certificate.getPublicKey());
                if (!any) {
                    requireSupported(key);
                }
                return certificate;
            } catch (GeneralSecurityException | RuntimeException unreadable) {
                // Bouncy Castle throws unchecked exceptions for malformed structures.
                throw rejected;
            } finally {
                Properties.removeThreadOverride(ALLOW_EMPTY_ISSUER);
            }
        }
    }

    /** The number of subject alternative names; 0 if there are none or they cannot be parsed. */
    public static int nameCount(X509Certificate certificate) {
        try {
            Collection<?> names = certificate.getSubjectAlternativeNames();
            return names == null ? 0 : names.size();
        } catch (CertificateParsingException malformed) {
            return 0;
        }
    }

    private static List<byte[]> encoded(List<? extends Certificate> sent) {
        return sent.stream().map(CertificateParser::encoded).toList();
    }

    private static List<byte[]> limited(List<byte[]> sent) {
        List<byte[]> limited = new ArrayList<>(sent.size());
        int bytes = 0;
        for (byte[] der : sent) {
            bytes += der.length;
            if (bytes > MAX_BYTES && !limited.isEmpty()) {
                break;
            }
            limited.add(der);
        }
        return limited;
    }

    /** Bouncy Castle also accepts keys that TLS clients reject, for example with explicit curve parameters. */
    private static void requireSupported(PublicKey key) throws GeneralSecurityException {
        KeyFactory.getInstance(key.getAlgorithm()).generatePublic(new X509EncodedKeySpec(key.getEncoded()));
    }

    private static X509Certificate parse(CertificateFactory factory, byte[] der) throws CertificateException {
        return (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der));
    }
}
