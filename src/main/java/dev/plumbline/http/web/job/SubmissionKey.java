package dev.plumbline.http.web.job;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Pattern;

/** A random value in a form. A form that is submitted twice creates one job. */
final class SubmissionKey {
    static final String FIELD = "bulk-idempotency-key";

    private static final int BYTES = 12;
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_-]{16}");
    private static final SecureRandom RANDOM = new SecureRandom();

    private SubmissionKey() {}

    static String generate() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Returns the submitted key, or a new one if it is not valid. */
    static String orGenerated(String submitted) {
        return KEY.matcher(submitted).matches() ? submitted : generate();
    }
}
