package dev.plumbline.http.web.job;

import dev.plumbline.check.ErrorCode;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A line of a job, with as much of its result as a table and its plots need.
 *
 * @param index from 0
 * @param target null without a result, and where the line is none
 * @param state as the API calls it
 * @param verdict null without a result
 * @param error the code of why there is no verdict, or that there is a bad one; null without
 * @param says the worst that was found, or why there is no verdict; null if there is nothing to say
 * @param tookMs null without a result
 * @param fields the values of the columns that are not null, and those that are plotted: numbers,
 *     texts, booleans, and lists of these
 */
record ResultRow(
        int index,
        String input,
        @Nullable String target,
        String state,
        @Nullable String verdict,
        @Nullable String error,
        @Nullable String says,
        @Nullable Long tookMs,
        Map<String, Object> fields) {
    private static final Set<String> FAILED = Set.of("fail", "error");
    private static final Set<String> REFUSED = Set.of(ErrorCode.INVALID_TARGET.id(), ErrorCode.TARGET_BLOCKED.id());

    boolean done() {
        return verdict != null;
    }

    /**
     * Whether another try may end better: not where the line itself was refused, which it would be
     * for ever.
     */
    boolean worthAnotherTry() {
        return verdict != null && FAILED.contains(verdict) && (error == null || !REFUSED.contains(error));
    }

    /** Whether the text is found in it; in small letters. */
    boolean has(String text) {
        return lower(input).contains(text)
                || lower(target).contains(text)
                || lower(says).contains(text);
    }

    private static String lower(@Nullable String text) {
        return text == null ? "" : text.toLowerCase(java.util.Locale.ROOT);
    }
}
