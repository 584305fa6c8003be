package dev.plumbline.http.api.job;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads option values from JSON. Values that no option accepts are skipped. */
final class OptionValueReader {
    /** A value that no option accepts. */
    private static final Object UNSUPPORTED = new Object();

    private static final int MAX_LIST_ITEMS = 100;
    private static final double MAX_EXACT_DOUBLE = 1L << 53;

    private OptionValueReader() {}

    /** Reads the current value: a Boolean, Long, String, List, or {@link #UNSUPPORTED}. */
    static Object read(JsonParser json) throws IOException {
        return json.currentToken() == JsonToken.START_ARRAY ? list(json) : scalar(json);
    }

    private static List<Object> list(JsonParser json) throws IOException {
        List<Object> kept = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            Object value = scalar(json);
            if (kept.size() < MAX_LIST_ITEMS) {
                kept.add(value);
            }
        }
        return kept;
    }

    private static Object scalar(JsonParser json) throws IOException {
        return switch (json.currentToken()) {
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_STRING -> json.getText();
            case VALUE_NUMBER_INT ->
                json.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? UNSUPPORTED : json.getLongValue();
            case VALUE_NUMBER_FLOAT -> whole(json.getDoubleValue());
            default -> {
                json.skipChildren();
                yield UNSUPPORTED;
            }
        };
    }

    /** In JSON Schema, 5.0 is an integer. */
    private static Object whole(double value) {
        return value == Math.rint(value) && Math.abs(value) < MAX_EXACT_DOUBLE ? (Object) (long) value : UNSUPPORTED;
    }
}
