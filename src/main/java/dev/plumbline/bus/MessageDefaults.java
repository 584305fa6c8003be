package dev.plumbline.bus;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Defaults of members that a message of an older version does not have, or that are null and must not be: empty text,
 * list or map, 0, false, and null if the member is nullable. Enums, times and bytes have no default, because a missing
 * verdict must not become {@code pass}.
 */
final class MessageDefaults {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /** The members of each record, because reflection would take most of the time of reading a message. */
    private static final ClassValue<List<Member>> MEMBERS = new ClassValue<>() {
        @Override
        protected List<Member> computeValue(Class<?> record) {
            return Arrays.stream(record.getRecordComponents()).map(Member::of).toList();
        }
    };

    /**
     * A member of a record.
     *
     * @param items the type of the items of a list, or null
     * @param nested whether the value or its items contain members
     */
    private record Member(String name, Class<?> type, @Nullable Class<?> items, boolean nested, boolean nullable) {
        static Member of(RecordComponent component) {
            Class<?> items = itemsOf(component.getGenericType());
            return new Member(
                    component.getName(),
                    component.getType(),
                    items,
                    component.getType().isRecord() || items != null && items.isRecord(),
                    component.getAnnotatedType().isAnnotationPresent(Nullable.class));
        }

        private static @Nullable Class<?> itemsOf(Type type) {
            return type instanceof ParameterizedType generic
                            && generic.getRawType() == List.class
                            && generic.getActualTypeArguments()[0] instanceof Class<?> items
                    ? items
                    : null;
        }
    }

    /** A member without a default is missing. */
    static final class MissingMemberException extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        MissingMemberException(String member) {
            super("the member " + member + " is missing");
        }
    }

    private MessageDefaults() {}

    /**
     * Adds the missing members of a record and of the records in it.
     *
     * @throws MissingMemberException if one of them does not have a default
     */
    static JsonNode complete(JsonNode value, Class<?> record) {
        if (value instanceof ObjectNode object) {
            for (Member member : MEMBERS.get(record)) {
                JsonNode given = object.get(member.name);
                if ((given == null || given.isNull()) && !member.nullable) {
                    given = empty(member.type);
                    if (given == null) {
                        throw new MissingMemberException(member.name);
                    }
                    object.set(member.name, given);
                }
                if (given != null && member.nested) {
                    complete(given, member);
                }
            }
        }
        return value;
    }

    private static void complete(JsonNode value, Member member) {
        if (member.items == null) {
            complete(value, member.type);
        } else {
            value.forEach(item -> complete(item, member.items));
        }
    }

    /** @return null for a type without a default */
    private static @Nullable JsonNode empty(Class<?> type) {
        if (type == String.class) {
            return JSON.textNode("");
        }
        if (type == List.class) {
            return JSON.arrayNode();
        }
        if (type == Map.class || type.isRecord()) {
            return JSON.objectNode();
        }
        if (type.isEnum() || type == Instant.class || type == byte[].class) {
            return null;
        }
        return type == boolean.class ? JSON.booleanNode(false) : JSON.numberNode(0);
    }
}
