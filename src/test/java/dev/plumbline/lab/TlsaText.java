package dev.plumbline.lab;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.HexFormat;

/** The data of TLSA records (RFC 6698 section 2.1). */
public final class TlsaText {
    private TlsaText() {}

    /** The SHA-256 hash of the public key: selector 1, matching type 1. */
    public static String spki(X509Certificate certificate) {
        return data(certificate, 1, 1);
    }

    /** The certificate association data in hexadecimal digits. */
    public static String data(X509Certificate certificate, int selector, int matchingType) {
        try {
            byte[] selected = selector == 0
                    ? certificate.getEncoded()
                    : certificate.getPublicKey().getEncoded();
            byte[] data =
                    switch (matchingType) {
                        case 1 -> MessageDigest.getInstance("SHA-256").digest(selected);
                        case 2 -> MessageDigest.getInstance("SHA-512").digest(selected);
                        default -> selected;
                    };
            return HexFormat.of().formatHex(data);
        } catch (GeneralSecurityException unavailable) {
            throw new IllegalStateException(unavailable);
        }
    }
}
