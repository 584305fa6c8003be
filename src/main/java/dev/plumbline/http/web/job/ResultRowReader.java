package dev.plumbline.http.web.job;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.job.LineState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads rows from the stored results of lines. */
final class ResultRowReader {
    private static final JsonFactory JSON = new JsonFactory();
    private static final int MAX_TEXT_LENGTH = 300;
    private static final int MAX_ITEMS = 20;
    private static final List<String> LEVELS = List.of("info", "warn", "fail");

    private ResultRowReader() {}

    /** @param names the fields to read; objects and lists of objects are ignored */
    static ResultRow of(JobMessage.JobSnapshot job, JobMessage.ResultLine line, Set<String> names) {
        String state = LineState.of(job, line).id();
        byte[] result = line.result();
        if (result == null) {
            return new ResultRow(line.index(), line.input(), null, state, null, null, null, null, Map.of());
        }
        try (JsonParser json = JSON.createParser(result)) {
            return new ResultParser(names).read(json, line, state);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String truncate(String text) {
        return text.length() <= MAX_TEXT_LENGTH ? text : text.substring(0, MAX_TEXT_LENGTH) + '\u2026';
    }

    private static final class ResultParser {
        private final Set<String> names;
        private final Map<String, Object> fields = new HashMap<>();
        private @Nullable String target;
        private @Nullable String verdict;
        private @Nullable String errorCode;
        private @Nullable String errorMessage;
        private @Nullable String finding;
        private int maxLevel = -1;
        private @Nullable Long durationMs;

        ResultParser(Set<String> names) {
            this.names = names;
        }

        ResultRow read(JsonParser json, JobMessage.ResultLine line, String state) throws IOException {
            json.nextToken();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "target" -> target = json.getValueAsString();
                    case "verdict" -> verdict = json.getValueAsString();
                    case "duration_ms" -> durationMs = json.getValueAsLong();
                    case "error" -> error(json);
                    case "fields" -> fields(json);
                    case "findings" -> findings(json);
                    default -> json.skipChildren();
                }
            }
            String message = errorMessage != null ? errorMessage : maxLevel > LEVELS.indexOf("info") ? finding : null;
            return new ResultRow(
                    line.index(), line.input(), target, state, verdict, errorCode, message, durationMs, fields);
        }

        private void error(JsonParser json) throws IOException {
            if (json.currentToken() == JsonToken.START_OBJECT) {
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    String name = json.currentName();
                    json.nextToken();
                    if (name.equals("message")) {
                        errorMessage = truncate(json.getValueAsString(""));
                    } else if (name.equals("code")) {
                        errorCode = json.getValueAsString();
                    }
                    json.skipChildren();
                }
            }
        }

        private void fields(JsonParser json) throws IOException {
            if (json.currentToken() != JsonToken.START_OBJECT) {
                return;
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                if (!names.contains(name)) {
                    json.skipChildren();
                    continue;
                }
                Object kept = value == JsonToken.START_ARRAY ? list(json) : plain(json);
                if (kept != null) {
                    fields.put(name, kept);
                }
            }
        }

        private static List<Object> list(JsonParser json) throws IOException {
            List<Object> items = new ArrayList<>();
            while (json.nextToken() != JsonToken.END_ARRAY) {
                Object item = plain(json);
                if (item != null && items.size() < MAX_ITEMS) {
                    items.add(item);
                }
            }
            return items;
        }

        private static @Nullable Object plain(JsonParser json) throws IOException {
            return switch (json.currentToken()) {
                case VALUE_STRING -> truncate(json.getText());
                case VALUE_NUMBER_INT -> json.getValueAsLong();
                case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
                case VALUE_TRUE, VALUE_FALSE -> json.getBooleanValue();
                default -> {
                    json.skipChildren();
                    yield null;
                }
            };
        }

        private void findings(JsonParser json) throws IOException {
            if (json.currentToken() != JsonToken.START_ARRAY) {
                return;
            }
            while (json.nextToken() == JsonToken.START_OBJECT) {
                int level = -1;
                String message = "";
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    String name = json.currentName();
                    json.nextToken();
                    if (name.equals("level")) {
                        level = LEVELS.indexOf(json.getValueAsString(""));
                    } else if (name.equals("message")) {
                        message = json.getValueAsString("");
                    }
                    json.skipChildren();
                }
                if (level > maxLevel) {
                    maxLevel = level;
                    finding = truncate(message);
                }
            }
        }
    }
}
