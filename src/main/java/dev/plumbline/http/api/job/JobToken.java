package dev.plumbline.http.api.job;

import java.util.regex.Pattern;

/** The format of job tokens: {@code job_} and 22 letters and digits. */
final class JobToken {
    private static final Pattern FORM = Pattern.compile("job_[0-9A-Za-z]{22}");

    private JobToken() {}

    /** Whether the text has the format of a job token. */
    static boolean isOne(String text) {
        return FORM.matcher(text).matches();
    }
}
