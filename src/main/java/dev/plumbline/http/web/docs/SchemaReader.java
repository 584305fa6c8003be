package dev.plumbline.http.web.docs;

import dev.plumbline.http.web.layout.MarkdownText;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON Schemas (2020-12) as far as people want to know them: what depends on other members is
 * left to the descriptions.
 */
final class SchemaReader {
    private SchemaReader() {}

    static SchemaNode of(JsonObject schema) {
        return of("", false, schema);
    }

    private static SchemaNode of(String name, boolean required, JsonObject schema) {
        JsonObject main = main(schema);
        JsonObject inner = main.getValue("items") instanceof JsonObject items ? items : main;
        String type = type(main);
        return new SchemaNode(
                name,
                main != schema && !type.contains("null") ? type + " or null" : type,
                reference(inner),
                required,
                MarkdownText.of(schema.getString("description", main.getString("description"))),
                limits(main),
                members(inner));
    }

    /** Of two choices of which one is null, the other. */
    private static JsonObject main(JsonObject schema) {
        if (schema.getValue("anyOf") instanceof JsonArray choices) {
            for (Object choice : choices) {
                if (choice instanceof JsonObject object && !"null".equals(object.getValue("type"))) {
                    return object;
                }
            }
        }
        return schema;
    }

    static @Nullable String reference(JsonObject schema) {
        String ref = schema.getString("$ref");
        return ref == null ? null : ref.substring(ref.lastIndexOf('/') + 1);
    }

    private static String type(JsonObject schema) {
        String ref = reference(schema);
        if (ref != null) {
            return ref;
        }
        Set<String> types = new LinkedHashSet<>();
        Object declared = schema.getValue("type");
        if (declared instanceof JsonArray several) {
            several.forEach(one -> types.add(String.valueOf(one)));
        } else if (declared != null) {
            types.add(declared.toString());
        }
        return types.isEmpty()
                ? "any"
                : types.stream().map(type -> inWords(type, schema)).collect(Collectors.joining(" or "));
    }

    private static String inWords(String type, JsonObject schema) {
        if (type.equals("array") && schema.getValue("items") instanceof JsonObject items) {
            return "list of " + type(items);
        }
        if (type.equals("string") && schema.containsKey("format")) {
            return "string (" + schema.getString("format") + ")";
        }
        return type;
    }

    private static List<String> limits(JsonObject schema) {
        List<String> limits = new ArrayList<>();
        if (schema.getValue("enum") instanceof JsonArray values) {
            limits.add("one of " + values.stream().map(String::valueOf).collect(Collectors.joining(", ")));
        }
        if (schema.containsKey("const")) {
            limits.add("always " + schema.getValue("const"));
        }
        range(limits, schema, "minimum", "maximum", "");
        range(limits, schema, "minLength", "maxLength", " characters");
        range(limits, schema, "minItems", "maxItems", " items");
        if (schema.containsKey("pattern")) {
            limits.add("matches " + schema.getString("pattern"));
        }
        if (schema.containsKey("default")) {
            limits.add("default " + schema.getValue("default"));
        }
        return limits;
    }

    private static void range(List<String> limits, JsonObject schema, String least, String most, String what) {
        Object from = schema.getValue(least);
        Object to = schema.getValue(most);
        if (from != null && to != null) {
            limits.add(from.equals(to) ? from + what : from + " to " + to + what);
        } else if (Integer.valueOf(1).equals(from) && !what.isEmpty()) {
            limits.add("not empty");
        } else if (from != null) {
            limits.add("at least " + from + what);
        } else if (to != null) {
            limits.add("at most " + to + what);
        }
    }

    private static List<SchemaNode> members(JsonObject schema) {
        List<SchemaNode> members = new ArrayList<>();
        JsonArray required = schema.getJsonArray("required", new JsonArray());
        for (Map.Entry<String, Object> property : schema.getJsonObject("properties", new JsonObject())) {
            // true: anything; false: never there
            if (property.getValue() instanceof JsonObject described) {
                members.add(of(property.getKey(), required.contains(property.getKey()), described));
            }
        }
        return members;
    }
}
