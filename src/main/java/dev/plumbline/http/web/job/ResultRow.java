package dev.plumbline.http.web.job;

import dev.plumbline.result.ErrorCode;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A line of a job with the part of its result that tables and charts display.
 *
 * @param index from 0
 * @param target null without a result or for an invalid target
 * @param state as in the API
 * @param verdict null without a result
 * @param errorCode null without an error
 * @param message the error message, or the message of the most severe finding above info, or null
 * @param durationMs null without a result
 * @param fields by name: numbers, strings, booleans and lists of these; without nulls
 */
record ResultRow(
        int index,
        String input,
        @Nullable String target,
        String state,
        @Nullable String verdict,
        @Nullable String errorCode,
        @Nullable String message,
        @Nullable Long durationMs,
        Map<String, Object> fields) {
    private static final int OBJECT_BYTES = 100;

    boolean done() {
        return verdict != null;
    }

    /** Whether the line has an error that a fresh check can avoid: not a rejected target. */
    boolean retryable() {
        return errorCode != null && !ErrorCode.rejectsTarget(errorCode);
    }

    /** The approximate memory in bytes. */
    int weight() {
        int characters =
                input.length() + (target == null ? 0 : target.length()) + (message == null ? 0 : message.length());
        for (Object value : fields.values()) {
            characters += value.toString().length();
        }
        return OBJECT_BYTES * (1 + fields.size()) + characters;
    }

    /** @param text in lower case */
    boolean contains(String text) {
        return lower(input).contains(text)
                || lower(target).contains(text)
                || lower(message).contains(text);
    }

    private static String lower(@Nullable String text) {
        return text == null ? "" : text.toLowerCase(Locale.ROOT);
    }
}
