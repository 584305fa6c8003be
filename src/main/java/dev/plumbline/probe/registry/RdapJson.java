package dev.plumbline.probe.registry;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads RDAP objects (RFC 9083) from untrusted servers. */
final class RdapJson {
    static final int MAX_ITEMS = 100;
    private static final int MAX_DEPTH = 3;
    private static final ObjectMapper MAPPER = new ObjectMapper(JsonFactory.builder()
                    // the symbol table rejects names with equal hash codes, and can fail with an internal error
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private RdapJson() {}

    /** Parses an object; null if it is not valid JSON or an object of another class. */
    static @Nullable JsonNode object(String body, String className) {
        try {
            JsonNode object = MAPPER.readTree(body);
            boolean valid = object.isObject()
                    && className.equalsIgnoreCase(object.path("objectClassName").asText(className));
            return valid ? object : null;
        } catch (JsonProcessingException malformed) {
            return null;
        }
    }

    /** The first {@value #MAX_ITEMS} items of an array; none of another value. */
    static List<JsonNode> items(JsonNode list) {
        return list.isArray() ? ImmutableList.copyOf(Iterables.limit(list, MAX_ITEMS)) : List.of();
    }

    /** The first entity with the role, also of nested entities. */
    static @Nullable JsonNode entity(JsonNode within, String role) {
        return entity(within, role, 0);
    }

    private static @Nullable JsonNode entity(JsonNode within, String role, int depth) {
        for (JsonNode entity : items(within.path("entities"))) {
            for (JsonNode assigned : items(entity.path("roles"))) {
                if (role.equalsIgnoreCase(assigned.asText())) {
                    return entity;
                }
            }
            JsonNode nested = depth < MAX_DEPTH ? entity(entity, role, depth + 1) : null;
            if (nested != null) {
                return nested;
            }
        }
        return null;
    }

    /** The name of an entity: its full name, organization or handle. */
    static @Nullable String name(JsonNode entity) {
        String name = RegistryValueParser.value(property(entity, "fn"));
        name = name == null ? RegistryValueParser.value(property(entity, "org")) : name;
        return name == null ? RegistryValueParser.value(entity.path("handle").asText()) : name;
    }

    /** The text of a jCard property (RFC 7095 section 3.3). */
    static @Nullable String property(JsonNode entity, String name) {
        for (JsonNode property : items(entity.path("vcardArray").path(1))) {
            JsonNode value = property.path(3);
            if (name.equalsIgnoreCase(property.path(0).asText()) && value.isTextual()) {
                return value.asText();
            }
        }
        return null;
    }
}
