package dev.plumbline.http.api.job;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Reads parts of stored results: JSON objects in UTF-8, which begin with the module, its rules, the target and the
 * verdict.
 */
final class StoredResult {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final String TARGET = "target";
    private static final String FIELDS = "fields";

    private StoredResult() {}

    /** Returns the target; null if the input is not valid. */
    static @Nullable String target(byte[] result) {
        try (JsonParser parser = FACTORY.createParser(result)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean target = parser.currentName().equals(TARGET);
                parser.nextToken();
                if (target) {
                    return parser.getValueAsString();
                }
                parser.skipChildren();
            }
            return null;
        } catch (IOException invalid) {
            throw new UncheckedIOException(invalid);
        }
    }

    /**
     * Returns a result with these fields only, in the order of the result. The bytes of their values are copied, so
     * that numbers and texts do not change.
     */
    static byte[] withFields(byte[] result, Collection<String> names) {
        try (JsonParser parser = FACTORY.createParser(result)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean fields = parser.currentName().equals(FIELDS);
                if (parser.nextToken() == JsonToken.START_OBJECT && fields) {
                    return copy(result, parser, names);
                }
                parser.skipChildren();
            }
            return result;
        } catch (IOException invalid) {
            throw new UncheckedIOException(invalid);
        }
    }

    /** @param parser at the start of the fields */
    private static byte[] copy(byte[] result, JsonParser parser, Collection<String> names) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(result.length);
        int start = tokenStart(parser);
        out.write(result, 0, start);
        char separator = '{';
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean selected = names.contains(parser.currentName());
            int member = tokenStart(parser);
            parser.nextToken();
            parser.skipChildren();
            parser.finishToken();
            if (selected) {
                out.write(separator);
                out.write(result, member, (int) parser.currentLocation().getByteOffset() - member);
                separator = ',';
            }
        }
        if (separator == '{') {
            out.write('{');
        }
        int end = tokenStart(parser);
        out.write(result, end, result.length - end);
        return out.toByteArray();
    }

    private static int tokenStart(JsonParser parser) {
        return (int) parser.currentTokenLocation().getByteOffset();
    }
}
