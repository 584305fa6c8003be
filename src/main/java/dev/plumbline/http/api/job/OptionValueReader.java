package dev.plumbline.http.api.job;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Values of options as they stand in JSON: what no option can be is read over, not kept. */
final class OptionValueReader {
    /** What no option accepts. */
    private static final Object UNFIT = new Object();

    private static final int MOST_KEPT = 100;
    private static final double MOST_EXACT = 1L << 53;

    private OptionValueReader() {}

    /** The value that the parser stands at: a Boolean, a Long, a String, a list, or what is unfit. */
    static Object read(JsonParser json) throws IOException {
        return json.currentToken() == JsonToken.START_ARRAY ? list(json) : scalar(json);
    }

    private static List<Object> list(JsonParser json) throws IOException {
        List<Object> kept = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            Object value = scalar(json);
            if (kept.size() < MOST_KEPT) {
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
                json.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? UNFIT : json.getLongValue();
            case VALUE_NUMBER_FLOAT -> whole(json.getDoubleValue());
            default -> {
                json.skipChildren();
                yield UNFIT;
            }
        };
    }

    /** JSON Schema counts 5.0 among the integers. */
    private static Object whole(double value) {
        return value == Math.rint(value) && Math.abs(value) < MOST_EXACT ? (Object) (long) value : UNFIT;
    }
}
