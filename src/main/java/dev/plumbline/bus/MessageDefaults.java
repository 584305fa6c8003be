package dev.plumbline.bus;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Defaults of members that a message of an older version does not have: empty text, list, map or bytes, 0, false, 1970,
 * the first value of an enum, and null if the member is nullable.
 */
final class MessageDefaults {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private MessageDefaults() {}

    /** Adds the missing members of a record and of the records in it. */
    static JsonNode complete(JsonNode value, Type type) {
        if (type instanceof ParameterizedType generic && generic.getRawType() == List.class) {
            value.forEach(item -> complete(item, generic.getActualTypeArguments()[0]));
        } else if (type instanceof Class<?> raw && raw.isRecord() && value instanceof ObjectNode object) {
            for (RecordComponent member : raw.getRecordComponents()) {
                JsonNode given = object.get(member.getName());
                if (given != null) {
                    complete(given, member.getGenericType());
                } else if (!member.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                    object.set(member.getName(), complete(empty(member.getType()), member.getGenericType()));
                }
            }
        }
        return value;
    }

    private static JsonNode empty(Class<?> type) {
        if (type == String.class || type == byte[].class) {
            return JSON.textNode("");
        }
        if (type == List.class) {
            return JSON.arrayNode();
        }
        if (type == Map.class || type.isRecord()) {
            return JSON.objectNode();
        }
        if (type == Instant.class) {
            return JSON.textNode(Instant.EPOCH.toString());
        }
        if (type.isEnum()) {
            return JSON.textNode(((Enum<?>) type.getEnumConstants()[0]).name());
        }
        return type == boolean.class ? JSON.booleanNode(false) : JSON.numberNode(0);
    }
}
