package dev.plumbline.http.web.job;

import dev.plumbline.account.ApiKeySecret;
import java.util.regex.Pattern;

/** A random value in a form. A form that is submitted twice creates one job. */
final class SubmissionKey {
    static final String FIELD = "bulk-idempotency-key";

    private static final int LENGTH = 16;
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_-]{" + LENGTH + "}");

    private SubmissionKey() {}

    static String generate() {
        return ApiKeySecret.random(LENGTH);
    }

    /** Returns the submitted key, or a new one if it is not valid. */
    static String orGenerated(String submitted) {
        return KEY.matcher(submitted).matches() ? submitted : generate();
    }
}
