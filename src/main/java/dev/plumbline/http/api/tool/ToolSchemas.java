package dev.plumbline.http.api.tool;

import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.FieldType;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.Level;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.OptionDescription;
import dev.plumbline.check.Verdict;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;

/** Generates the JSON Schemas (draft 2020-12) of the options and results of a module. */
public final class ToolSchemas {
    private static final String DIALECT = "https://json-schema.org/draft/2020-12/schema";

    private ToolSchemas() {}

    public static JsonObject options(ModuleDescription module) {
        JsonObject properties = new JsonObject();
        for (OptionDescription option : module.options()) {
            properties.put(option.name(), option(option));
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

    private static JsonObject option(OptionDescription option) {
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

    /** Returns the schema of a result. */
    static JsonObject result(ModuleDescription module) {
        JsonObject fields = new JsonObject();
        JsonArray names = new JsonArray();
        for (FieldDescription field : module.fields()) {
            fields.put(field.name(), field(field, true));
            names.add(field.name());
        }
        JsonObject properties = new JsonObject()
                .put("module", new JsonObject().put("const", module.module()))
                .put("target", text())
                .put(
                        "verdict",
                        oneOf(Arrays.stream(Verdict.values()).map(Verdict::id).toArray()))
                .put(
                        "fields",
                        new JsonObject()
                                .put("type", "object")
                                .put("properties", fields)
                                .put("required", names)
                                .put("additionalProperties", false))
                .put("findings", findings(module))
                .put("truncated", new JsonObject().put("type", "array").put("items", text()))
                .put("error", error())
                .put("checked_at", time())
                .put("duration_ms", new JsonObject().put("type", "integer").put("minimum", 0))
                .put("cached", new JsonObject().put("type", "boolean"))
                .put("expires_at", time());
        return new JsonObject()
                .put("$schema", DIALECT)
                .put("title", "Result of " + module.module())
                .put("type", "object")
                .put("properties", properties)
                .put("required", new JsonArray(properties.fieldNames().stream().toList()))
                .put("additionalProperties", false)
                .put("if", completed())
                .put("then", withoutNulls(module));
    }

    /** Without an error, only nullable fields can be null. */
    private static JsonObject withoutNulls(ModuleDescription module) {
        JsonObject fields = new JsonObject();
        for (FieldDescription field : module.fields()) {
            if (!field.nullable()) {
                fields.put(field.name(), new JsonObject().put("not", new JsonObject().put("type", "null")));
            }
        }
        return new JsonObject()
                .put("properties", new JsonObject().put("fields", new JsonObject().put("properties", fields)));
    }

    private static JsonObject completed() {
        return new JsonObject().put("properties", new JsonObject().put("error", new JsonObject().put("type", "null")));
    }

    private static JsonObject field(FieldDescription field, boolean nullable) {
        JsonObject schema = type(field);
        schema.put("title", field.title()).put("description", field.description());
        if (nullable || field.nullable()) {
            schema.put("type", new JsonArray().add(schema.getString("type")).add("null"));
        }
        if (!field.values().isEmpty()) {
            JsonArray values = new JsonArray(new java.util.ArrayList<>(field.values()));
            if (nullable || field.nullable()) {
                values.addNull();
            }
            schema.put("enum", values);
        }
        return schema;
    }

    private static JsonObject type(FieldDescription field) {
        return switch (field.type()) {
            case STRING -> text();
            case INTEGER -> new JsonObject().put("type", "integer");
            case NUMBER -> new JsonObject().put("type", "number");
            case BOOLEAN -> new JsonObject().put("type", "boolean");
            case TIME -> time();
            case OBJECT -> object(field);
            case ARRAY ->
                new JsonObject()
                        .put("type", "array")
                        .put("items", field.items() == FieldType.OBJECT ? object(field) : item(field));
        };
    }

    private static JsonObject item(FieldDescription field) {
        return switch (field.items()) {
            case INTEGER -> new JsonObject().put("type", "integer");
            case NUMBER -> new JsonObject().put("type", "number");
            case BOOLEAN -> new JsonObject().put("type", "boolean");
            case TIME -> time();
            default -> text();
        };
    }

    private static JsonObject object(FieldDescription field) {
        JsonObject schema = new JsonObject().put("type", "object");
        if (field.members().isEmpty()) {
            return schema;
        }
        JsonObject members = new JsonObject();
        JsonArray names = new JsonArray();
        for (FieldDescription member : field.members()) {
            members.put(member.name(), field(member, false));
            names.add(member.name());
        }
        return schema.put("properties", members).put("required", names).put("additionalProperties", false);
    }

    private static JsonObject findings(ModuleDescription module) {
        JsonObject finding = new JsonObject()
                .put("level", oneOf(Arrays.stream(Level.values()).map(Level::id).toArray()))
                .put(
                        "code",
                        oneOf(module.findings().stream().map(FindingCode::code).toArray()))
                .put("field", textOrNull())
                .put("message", text())
                .put("action", text())
                .put("reference", textOrNull());
        return new JsonObject()
                .put("type", "array")
                .put(
                        "items",
                        new JsonObject()
                                .put("type", "object")
                                .put("properties", finding)
                                .put(
                                        "required",
                                        new JsonArray(
                                                finding.fieldNames().stream().toList()))
                                .put("additionalProperties", false));
    }

    private static JsonObject error() {
        JsonObject error = new JsonObject()
                .put(
                        "code",
                        oneOf(Arrays.stream(ErrorCode.values())
                                .map(ErrorCode::id)
                                .toArray()))
                .put("message", text())
                .put("retryable", new JsonObject().put("type", "boolean"));
        return new JsonObject()
                .put("type", new JsonArray().add("object").add("null"))
                .put("properties", error)
                .put("required", new JsonArray(error.fieldNames().stream().toList()))
                .put("additionalProperties", false);
    }

    private static JsonObject text() {
        return new JsonObject().put("type", "string");
    }

    private static JsonObject textOrNull() {
        return new JsonObject().put("type", new JsonArray().add("string").add("null"));
    }

    private static JsonObject time() {
        return new JsonObject().put("type", "string").put("format", "date-time");
    }

    private static JsonObject oneOf(Object... values) {
        return new JsonObject().put("type", "string").put("enum", new JsonArray(Arrays.asList(values)));
    }
}
