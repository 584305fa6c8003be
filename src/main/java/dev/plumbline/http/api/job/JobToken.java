package dev.plumbline.http.api.job;

import java.security.SecureRandom;
import java.util.regex.Pattern;

/** Tokens of jobs: {@code job_} and 22 random letters and digits (131 bits). */
public final class JobToken {
    private static final String ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final int LENGTH = 22;
    private static final Pattern TOKEN = Pattern.compile("job_[0-9A-Za-z]{22}");
    private static final SecureRandom RANDOM = new SecureRandom();

    private JobToken() {}

    public static String generate() {
        StringBuilder token = new StringBuilder("job_");
        for (int i = 0; i < LENGTH; i++) {
            token.append(ALPHABET.charAt(RANDOM.nextInt(ALPHABET.length())));
        }
        return token.toString();
    }

    public static boolean isValid(String text) {
        return TOKEN.matcher(text).matches();
    }
}
