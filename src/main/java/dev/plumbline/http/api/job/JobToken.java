package dev.plumbline.http.api.job;

import java.util.regex.Pattern;

/** The names of jobs: {@code job_} and 22 letters and digits. */
final class JobToken {
    private static final Pattern FORM = Pattern.compile("job_[0-9A-Za-z]{22}");

    private JobToken() {}

    /** Whether there can be a job of this name. */
    static boolean isOne(String text) {
        return FORM.matcher(text).matches();
    }
}
