package dev.plumbline.account;

import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.zip.CRC32;

/**
 * The secret of an API key: {@code plk_}, 32 random base62 characters (190 bits) and a checksum of 6 characters, the
 * CRC-32 (ISO 3309) of the preceding text in base62, most significant digit first. The checksum avoids database queries
 * for mistyped keys.
 */
public final class ApiKeySecret {
    private static final String PREFIX = "plk_";
    private static final String ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final int RANDOM_LENGTH = 32;
    private static final int CHECKSUM_LENGTH = 6;
    private static final int LENGTH = PREFIX.length() + RANDOM_LENGTH + CHECKSUM_LENGTH;
    private static final int VISIBLE_LENGTH = 6;

    private static final SecureRandom RANDOM = new SecureRandom();

    private ApiKeySecret() {}

    public static String generate() {
        String body = PREFIX + random(RANDOM_LENGTH);
        return body + checksum(body);
    }

    /** Random base62 characters. */
    public static String random(int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(ALPHABET.charAt(RANDOM.nextInt(ALPHABET.length())));
        }
        return text.toString();
    }

    /** Whether the text has the format of a key and a valid checksum. */
    public static boolean isWellFormed(String text) {
        if (text.length() != LENGTH || !text.startsWith(PREFIX)) {
            return false;
        }
        for (int i = PREFIX.length(); i < LENGTH; i++) {
            char c = text.charAt(i);
            if (!(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z')) {
                return false;
            }
        }
        int body = LENGTH - CHECKSUM_LENGTH;
        return text.substring(body).equals(checksum(text.substring(0, body)));
    }

    private static String checksum(String body) {
        CRC32 crc = new CRC32();
        crc.update(body.getBytes(StandardCharsets.US_ASCII));
        char[] digits = new char[CHECKSUM_LENGTH];
        long value = crc.getValue();
        for (int i = CHECKSUM_LENGTH - 1; i >= 0; i--) {
            digits[i] = ALPHABET.charAt((int) (value % ALPHABET.length()));
            value /= ALPHABET.length();
        }
        return new String(digits);
    }

    /** The visible start of a key. */
    static String prefix(String key) {
        return key.substring(0, PREFIX.length() + VISIBLE_LENGTH);
    }

    /**
     * The stored form of a key: SHA-256, 32 bytes. A slow hash would not add protection to 190 random bits, and could
     * not be indexed. An HMAC would need a secret that all nodes share.
     */
    static byte[] hash(String key) {
        return Hashing.sha256().hashString(key, StandardCharsets.UTF_8).asBytes();
    }
}
