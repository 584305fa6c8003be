package dev.plumbline.tls;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.List;
import org.bouncycastle.jce.provider.BouncyCastleProvider;

/**
 * Parses the certificates that a server sent, the leaf first, up to {@value #MAX_BYTES} bytes.
 *
 * <p>The JDK rejects certificates that most clients accept, for example with an empty subject and a subject alternative
 * name that is not critical. Bouncy Castle parses them.
 */
public final class CertificateParser {
    /** The default limit of OpenSSL. */
    static final int MAX_BYTES = 100 * 1024;

    private CertificateParser() {}

    /** Loaded at the first use, because that takes a tenth of a second. */
    private static final class BouncyCastle {
        static final BouncyCastleProvider PROVIDER = new BouncyCastleProvider();
    }

    /**
     * Parses certificates with the JDK.
     *
     * @throws CertificateException if the JDK rejects one of them
     */
    public static List<X509Certificate> parse(List<? extends Certificate> sent) throws CertificateException {
        List<X509Certificate> certificates = new ArrayList<>(sent.size());
        for (byte[] der : limited(sent)) {
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
        List<X509Certificate> certificates = new ArrayList<>(sent.size());
        for (byte[] der : limited(sent)) {
            try {
                certificates.add(parseLeniently(der));
            } catch (CertificateException unreadable) {
                if (certificates.isEmpty()) {
                    throw unreadable;
                }
            }
        }
        return certificates;
    }

    private static List<byte[]> limited(List<? extends Certificate> sent) throws CertificateException {
        List<byte[]> limited = new ArrayList<>(sent.size());
        int bytes = 0;
        for (Certificate certificate : sent) {
            byte[] der = certificate.getEncoded();
            bytes += der.length;
            if (bytes > MAX_BYTES && !limited.isEmpty()) {
                break;
            }
            limited.add(der);
        }
        return limited;
    }

    private static X509Certificate parseLeniently(byte[] der) throws CertificateException {
        try {
            return parse(CertificateFactory.getInstance("X.509"), der);
        } catch (CertificateException rejected) {
            try {
                X509Certificate certificate =
                        parse(CertificateFactory.getInstance("X.509", BouncyCastle.PROVIDER), der);
                requireSupported(certificate.getPublicKey());
                return certificate;
            } catch (GeneralSecurityException | RuntimeException unreadable) {
                // Bouncy Castle throws unchecked exceptions for malformed structures.
                throw rejected;
            }
        }
    }

    /** Bouncy Castle also accepts keys that TLS clients reject, for example with explicit curve parameters. */
    private static void requireSupported(PublicKey key) throws GeneralSecurityException {
        KeyFactory.getInstance(key.getAlgorithm()).generatePublic(new X509EncodedKeySpec(key.getEncoded()));
    }

    private static X509Certificate parse(CertificateFactory factory, byte[] der) throws CertificateException {
        return (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der));
    }
}
