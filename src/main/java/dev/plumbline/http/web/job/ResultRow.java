package dev.plumbline.http.web.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.job.LineState;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Level;
import dev.plumbline.target.PrintableText;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
    private static final int MAX_TEXT_LENGTH = 300;
    private static final int MAX_ITEMS = 20;

    /**
     * Reads a row from the stored result of a line.
     *
     * @param names the fields to read, or paths of their members; objects and lists of objects are ignored
     */
    static ResultRow of(JobMessage.JobSnapshot job, JobMessage.ResultLine line, Set<String> names) {
        String state = LineState.of(job, line).id();
        if (line.result() == null) {
            return new ResultRow(line.index(), line.input(), null, state, null, null, null, null, Map.of());
        }
        JsonObject result = new JsonObject(Buffer.buffer(line.result()));
        JsonObject error = result.getJsonObject("error");
        return new ResultRow(
                line.index(),
                line.input(),
                result.getString("target"),
                state,
                result.getString("verdict"),
                error == null ? null : error.getString("code"),
                error == null ? finding(result) : truncate(error.getString("message", "")),
                result.getLong("duration_ms"),
                fields(result.getJsonObject("fields"), names));
    }

    private static Map<String, Object> fields(@Nullable JsonObject fields, Set<String> names) {
        Map<String, Object> kept = new HashMap<>();
        if (fields == null) {
            return kept;
        }
        for (String name : names) {
            Object value = value(fields, name);
            Object plain = value instanceof JsonArray items ? list(items) : plain(value);
            if (plain != null) {
                kept.put(name, plain);
            }
        }
        return kept;
    }

    /** @param path of a member; its names are separated by dots */
    private static @Nullable Object value(JsonObject fields, String path) {
        Object value = fields;
        for (String name : path.split("\\.", -1)) {
            value = value instanceof JsonObject object ? object.getValue(name) : null;
        }
        return value;
    }

    private static List<Object> list(JsonArray items) {
        return items.stream()
                .map(ResultRow::plain)
                .filter(Objects::nonNull)
                .limit(MAX_ITEMS)
                .toList();
    }

    private static @Nullable Object plain(@Nullable Object value) {
        if (value instanceof String text) {
            return truncate(text);
        }
        if (value instanceof Integer number) {
            return number.longValue();
        }
        return value instanceof Number || value instanceof Boolean ? value : null;
    }

    /** The message of the most severe finding above info; null if there is none. */
    private static @Nullable String finding(JsonObject result) {
        return result.getJsonArray("findings", new JsonArray()).stream()
                .map(JsonObject.class::cast)
                .filter(finding -> level(finding) != Level.INFO)
                .min(Comparator.comparing(ResultRow::level, Level.MOST_SEVERE_FIRST))
                .map(finding -> truncate(finding.getString("message", "")))
                .orElse(null);
    }

    private static Level level(JsonObject finding) {
        return Level.of(finding.getString("level"));
    }

    private static String truncate(String text) {
        return PrintableText.shorten(text, MAX_TEXT_LENGTH);
    }

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
