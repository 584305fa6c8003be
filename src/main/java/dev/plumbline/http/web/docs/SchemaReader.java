package dev.plumbline.http.web.docs;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads JSON Schemas (2020-12) for display, without conditional keywords. */
final class SchemaReader {
    private final Map<String, String> hrefs;

    SchemaReader(Map<String, String> hrefs) {
        this.hrefs = hrefs;
    }

    SchemaNode read(JsonObject schema) {
        return read("", false, schema);
    }

    private SchemaNode read(String name, boolean required, JsonObject schema) {
        JsonObject main = main(schema);
        JsonObject inner = main.getValue("items") instanceof JsonObject items ? items : main;
        String type = type(main);
        return new SchemaNode(
                name,
                main != schema && !type.contains("null") ? type + " or null" : type,
                hrefs.get(reference(inner)),
                required,
                schema.getString("description", main.getString("description", "")),
                constraints(main),
                properties(inner));
    }

    /** The alternative of {@code anyOf} that is not null; otherwise the schema itself. */
    private static JsonObject main(JsonObject schema) {
        if (schema.getValue("anyOf") instanceof JsonArray alternatives) {
            for (Object alternative : alternatives) {
                if (alternative instanceof JsonObject object && !"null".equals(object.getValue("type"))) {
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
        Stream<?> declared = schema.getValue("type") instanceof JsonArray several
                ? several.stream()
                : Stream.ofNullable(schema.getValue("type"));
        String types = declared.map(type -> typeName(type.toString(), schema)).collect(Collectors.joining(" or "));
        return types.isEmpty() ? "any" : types;
    }

    private static String typeName(String type, JsonObject schema) {
        if (type.equals("array") && schema.getValue("items") instanceof JsonObject items) {
            return "array of " + type(items);
        }
        if (type.equals("string") && schema.containsKey("format")) {
            return "string (" + schema.getString("format") + ")";
        }
        return type;
    }

    private static List<String> constraints(JsonObject schema) {
        List<String> constraints = new ArrayList<>();
        if (schema.getValue("enum") instanceof JsonArray values) {
            constraints.add("one of " + values.stream().map(String::valueOf).collect(Collectors.joining(", ")));
        }
        if (schema.containsKey("const")) {
            constraints.add("always " + schema.getValue("const"));
        }
        range(constraints, schema, "minimum", "maximum", "");
        range(constraints, schema, "minLength", "maxLength", " characters");
        range(constraints, schema, "minItems", "maxItems", " items");
        if (schema.containsKey("pattern")) {
            constraints.add("matches " + schema.getString("pattern"));
        }
        if (schema.containsKey("default")) {
            constraints.add("default " + schema.getValue("default"));
        }
        return constraints;
    }

    private static void range(
            List<String> constraints, JsonObject schema, String minimum, String maximum, String unit) {
        Object min = schema.getValue(minimum);
        Object max = schema.getValue(maximum);
        if (min != null && max != null) {
            constraints.add(min.equals(max) ? min + unit : min + " to " + max + unit);
        } else if (Integer.valueOf(1).equals(min) && !unit.isEmpty()) {
            constraints.add("not empty");
        } else if (min != null) {
            constraints.add("at least " + min + unit);
        } else if (max != null) {
            constraints.add("at most " + max + unit);
        }
    }

    private List<SchemaNode> properties(JsonObject schema) {
        List<SchemaNode> properties = new ArrayList<>();
        JsonArray required = schema.getJsonArray("required", new JsonArray());
        for (Map.Entry<String, Object> property : schema.getJsonObject("properties", new JsonObject())) {
            // boolean schemas have no description
            if (property.getValue() instanceof JsonObject described) {
                properties.add(read(property.getKey(), required.contains(property.getKey()), described));
            }
        }
        return properties;
    }
}
