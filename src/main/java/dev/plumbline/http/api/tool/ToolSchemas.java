package dev.plumbline.http.api.tool;

import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.OptionDescription;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Generates the JSON Schemas (draft 2020-12) of the options and results of a module. */
public final class ToolSchemas {
    private static final String DIALECT = "https://json-schema.org/draft/2020-12/schema";

    private ToolSchemas() {}

    public static JsonObject options(ModuleDescription module) {
        JsonObject properties = new JsonObject();
        for (OptionDescription option : module.options()) {
            properties.put(option.name(), option.defaultValue() == null ? orNull(option) : option(option));
        }
        properties.put(
                ModuleDescription.FRESH.name(), option(ModuleDescription.FRESH).put("jobs_only", true));
        return new JsonObject()
                .put("$schema", DIALECT)
                .put("title", "Options of " + module.module())
                .put("type", "object")
                .put("properties", properties)
                .put("additionalProperties", false);
    }

    /** In a JSON object, null means that an option without a default is not given. */
    private static JsonObject orNull(OptionDescription option) {
        JsonObject schema = option(option);
        JsonArray values = schema.getJsonArray("enum");
        if (values != null) {
            schema.put("enum", values.copy().addNull());
        }
        return schema.put("type", new JsonArray().add(schema.getString("type")).add("null"));
    }

    static JsonObject option(OptionDescription option) {
        JsonObject schema = new JsonObject().put("title", option.title());
        schema.put("description", option.description());
        switch (option.type()) {
            case INTEGER ->
                schema.put("type", "integer").put("minimum", option.min()).put("maximum", option.max());
            case BOOLEAN -> schema.put("type", "boolean");
            case STRING -> putText(schema, option);
            case ARRAY ->
                schema.put("type", "array")
                        .put("maxItems", option.maxItems())
                        .put("items", putText(new JsonObject(), option));
        }
        if (option.defaultValue() != null) {
            schema.put("default", option.defaultValue());
        }
        return schema;
    }

    private static JsonObject putText(JsonObject schema, OptionDescription option) {
        schema.put("type", "string");
        if (!option.values().isEmpty()) {
            return schema.put("enum", new JsonArray(option.values()));
        }
        schema.put("maxLength", option.maxLength());
        if (option.pattern() != null) {
            schema.put("pattern", "^(?:" + option.pattern().pattern() + ")$");
        }
        return schema;
    }

    static JsonObject result(ModuleDescription module) {
        JsonObject fields = new JsonObject();
        for (FieldDescription field : module.fields()) {
            fields.put(field.name(), field(field, true));
        }
        Stream<String> verdicts = Arrays.stream(Verdict.values()).map(Verdict::id);
        JsonObject properties = new JsonObject()
                .put("module", new JsonObject().put("const", module.module()))
                .put("rules", orNull("string").put("pattern", "^" + module.module() + "/[1-9][0-9]*$"))
                .put("target", type("string"))
                .put("verdict", oneOf(verdicts))
                .put("fields", object(fields))
                .put("findings", type("array").put("items", finding(module)))
                .put("truncated", type("array").put("items", type("string")))
                .put("error", error())
                .put("checked_at", time())
                .put("duration_ms", type("integer").put("minimum", 0))
                .put(
                        "waited_ms",
                        new JsonObject()
                                .put("type", new JsonArray().add("integer").add("null"))
                                .put("minimum", 0))
                .put("cached", type("boolean"))
                .put("expires_at", time());
        return new JsonObject()
                .put("$schema", DIALECT)
                .put("title", "Result of " + module.module())
                .mergeIn(object(properties))
                .put("if", properties("error", type("null")))
                .put("then", withoutNulls(module));
    }

    /** Without an error, only nullable fields can be null. */
    private static JsonObject withoutNulls(ModuleDescription module) {
        JsonObject fields = new JsonObject();
        for (FieldDescription field : module.fields()) {
            if (!field.nullable()) {
                fields.put(field.name(), new JsonObject().put("not", type("null")));
            }
        }
        return properties("fields", new JsonObject().put("properties", fields));
    }

    private static JsonObject properties(String name, JsonObject schema) {
        return new JsonObject().put("properties", new JsonObject().put(name, schema));
    }

    private static JsonObject field(FieldDescription field, boolean nullable) {
        JsonObject schema = type(field.type(), field);
        schema.put("title", field.title()).put("description", field.description());
        if (nullable || field.nullable()) {
            schema.put("type", new JsonArray().add(schema.getString("type")).add("null"));
        }
        if (!field.values().isEmpty()) {
            JsonArray values = new JsonArray(new ArrayList<>(field.values()));
            if (nullable || field.nullable()) {
                values.addNull();
            }
            schema.put("enum", values);
        }
        return schema;
    }

    private static JsonObject type(FieldType type, FieldDescription field) {
        return switch (type) {
            case STRING, INTEGER, NUMBER, BOOLEAN -> type(type.id());
            case TIME -> time();
            case OBJECT -> members(field);
            case ARRAY -> type("array").put("items", type(field.items(), field));
        };
    }

    private static JsonObject members(FieldDescription field) {
        if (field.members().isEmpty()) {
            return type("object");
        }
        JsonObject members = new JsonObject();
        for (FieldDescription member : field.members()) {
            members.put(member.name(), field(member, false));
        }
        return object(members);
    }

    private static JsonObject finding(ModuleDescription module) {
        return object(new JsonObject()
                .put("level", oneOf(Arrays.stream(Level.values()).map(Level::id)))
                .put("code", oneOf(module.findings().stream().map(FindingCode::code)))
                .put("field", orNull("string"))
                .put("message", type("string"))
                .put("action", type("string"))
                .put("reference", orNull("string")));
    }

    private static JsonObject error() {
        return object(new JsonObject()
                        .put("code", oneOf(Arrays.stream(ErrorCode.values()).map(ErrorCode::id)))
                        .put("message", type("string"))
                        .put("retryable", type("boolean")))
                .mergeIn(orNull("object"));
    }

    private static JsonObject type(String name) {
        return new JsonObject().put("type", name);
    }

    private static JsonObject orNull(String type) {
        return new JsonObject().put("type", new JsonArray().add(type).add("null"));
    }

    private static JsonObject time() {
        return type("string").put("format", "date-time");
    }

    /** An object that has exactly these properties. */
    private static JsonObject object(JsonObject properties) {
        return type("object")
                .put("properties", properties)
                .put("required", new JsonArray(List.copyOf(properties.fieldNames())))
                .put("additionalProperties", false);
    }

    private static JsonObject oneOf(Stream<String> values) {
        return type("string").put("enum", new JsonArray(values.toList()));
    }
}
