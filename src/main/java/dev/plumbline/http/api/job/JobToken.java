package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiKeySecret;
import java.util.regex.Pattern;

/** Tokens of jobs: {@code job_} and 22 random letters and digits (131 bits). */
public final class JobToken {
    private static final int LENGTH = 22;
    private static final Pattern TOKEN = Pattern.compile("job_[0-9A-Za-z]{22}");

    private JobToken() {}

    public static String generate() {
        return "job_" + ApiKeySecret.random(LENGTH);
    }

    public static boolean isValid(String text) {
        return TOKEN.matcher(text).matches();
    }
}
