package dev.plumbline.account;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.zip.CRC32;

/**
 * The format of API keys: {@code plk_}, 32 random base62 characters (190 bits) and a checksum of 6
 * characters, the CRC-32 (ISO 3309) of the preceding text in base62, most significant digit first.
 * The checksum detects typing errors without a database lookup.
 */
public final class ApiKeySecret {
    private static final String START = "plk_";
    private static final String DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final int RANDOM = 32;
    private static final int CHECKSUM = 6;
    private static final int LENGTH = START.length() + RANDOM + CHECKSUM;
    private static final int VISIBLE = 6;

    private static final SecureRandom SOURCE = new SecureRandom();

    private ApiKeySecret() {}

    /** Generates a key. */
    public static String fresh() {
        String body = START + random(RANDOM);
        return body + checksum(body);
    }

    /** Returns random base62 characters. */
    static String random(int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(DIGITS.charAt(SOURCE.nextInt(DIGITS.length())));
        }
        return text.toString();
    }

    /** Whether a text has the format of a key and a correct checksum. */
    public static boolean isWhole(String text) {
        if (text.length() != LENGTH || !text.startsWith(START)) {
            return false;
        }
        for (int i = START.length(); i < LENGTH; i++) {
            char c = text.charAt(i);
            if (!(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z')) {
                return false;
            }
        }
        int body = LENGTH - CHECKSUM;
        return text.substring(body).equals(checksum(text.substring(0, body)));
    }

    private static String checksum(String body) {
        CRC32 crc = new CRC32();
        crc.update(body.getBytes(StandardCharsets.US_ASCII));
        char[] digits = new char[CHECKSUM];
        long rest = crc.getValue();
        for (int i = CHECKSUM - 1; i >= 0; i--) {
            digits[i] = DIGITS.charAt((int) (rest % DIGITS.length()));
            rest /= DIGITS.length();
        }
        return new String(digits);
    }

    /** Returns the part of a key that can be shown. */
    static String prefix(String key) {
        return key.substring(0, START.length() + VISIBLE);
    }

    /** Returns the stored SHA-256 hash of a key. */
    static byte[] hash(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
