package dev.plumbline.probe.tls;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Decrypts the records that a server protects with one traffic secret of TLS 1.3 (RFC 8446 sections 5.2 and 7.3). */
final class Tls13Decryptor {
    static final int HEADER_BYTES = 5;

    private static final int IV_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final boolean chaCha;
    private final SecretKeySpec key;
    private final byte[] iv;
    private long sequence;

    /**
     * @param suite the IANA name of the cipher suite
     * @throws GeneralSecurityException if the JDK does not support its algorithms
     */
    Tls13Decryptor(String suite, byte[] trafficSecret) throws GeneralSecurityException {
        chaCha = suite.contains("_CHACHA20_");
        String hash = suite.endsWith("_SHA384") ? "HmacSHA384" : "HmacSHA256";
        int keyBytes = suite.contains("_AES_128_") ? 16 : 32;
        key = new SecretKeySpec(expandLabel(hash, trafficSecret, "key", keyBytes), chaCha ? "ChaCha20" : "AES");
        iv = expandLabel(hash, trafficSecret, "iv", IV_BYTES);
    }

    /**
     * Decrypts the next record.
     *
     * @param record the header and the payload
     * @return the content, followed by its type; null if the record is not protected with this secret
     */
    byte @Nullable [] decrypt(byte[] record) throws GeneralSecurityException {
        byte[] nonce = iv.clone();
        for (int i = 0; i < Long.BYTES; i++) {
            nonce[IV_BYTES - 1 - i] ^= (byte) (sequence >> 8 * i);
        }
        AlgorithmParameterSpec parameters = chaCha ? new IvParameterSpec(nonce) : new GCMParameterSpec(TAG_BITS, nonce);
        Cipher cipher = Cipher.getInstance(chaCha ? "ChaCha20-Poly1305" : "AES/GCM/NoPadding");
        cipher.init(Cipher.DECRYPT_MODE, key, parameters);
        cipher.updateAAD(record, 0, HEADER_BYTES);
        byte[] padded;
        try {
            padded = cipher.doFinal(record, HEADER_BYTES, record.length - HEADER_BYTES);
        } catch (AEADBadTagException otherSecret) {
            return null;
        }
        sequence++;
        int length = padded.length;
        while (length > 0 && padded[length - 1] == 0) {
            length--;
        }
        return Arrays.copyOf(padded, length);
    }

    /** HKDF-Expand-Label (RFC 8446 section 7.1) with an empty context, for at most one block of the hash function. */
    private static byte[] expandLabel(String hash, byte[] secret, String label, int length)
            throws GeneralSecurityException {
        byte[] name = ("tls13 " + label).getBytes(StandardCharsets.US_ASCII);
        Buffer info = Buffer.buffer()
                .appendUnsignedShort(length)
                .appendByte((byte) name.length)
                .appendBytes(name)
                .appendByte((byte) 0)
                .appendByte((byte) 1);
        Mac mac = Mac.getInstance(hash);
        mac.init(new SecretKeySpec(secret, hash));
        return Arrays.copyOf(mac.doFinal(info.getBytes()), length);
    }
}
