package dev.plumbline.http.body;

import dev.plumbline.http.problem.Problem;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What openapi.json says of the body of an operation, as a judge who names every fault by its JSON
 * pointer (RFC 6901), in words that a person understands. It knows the part of JSON Schema that our
 * small bodies need, and refuses to start with more.
 */
final class BodyValidator {
    private static final Set<String> ANNOTATIONS =
            Set.of("description", "example", "examples", "default", "writeOnly", "title");
    private static final Set<String> KEYWORDS = Set.of(
            "type",
            "properties",
            "required",
            "additionalProperties",
            "minLength",
            "maxLength",
            "enum",
            "format",
            "items",
            "minItems",
            "maxItems",
            "uniqueItems");

    private final JsonObject contract;
    private final JsonObject schema;

    private BodyValidator(JsonObject contract, JsonObject schema) {
        this.contract = contract;
        this.schema = schema;
        verify(schema);
    }

    /** The rules for the JSON body of an operation. */
    static BodyValidator of(JsonObject contract, String operationId) {
        for (Map.Entry<String, Object> path : contract.getJsonObject("paths")) {
            for (Map.Entry<String, Object> method : (JsonObject) path.getValue()) {
                if (method.getValue() instanceof JsonObject operation
                        && operationId.equals(operation.getString("operationId"))) {
                    return new BodyValidator(
                            contract,
                            operation
                                    .getJsonObject("requestBody")
                                    .getJsonObject("content")
                                    .getJsonObject("application/json")
                                    .getJsonObject("schema"));
                }
            }
        }
        throw new IllegalArgumentException(operationId + " is not in openapi.json");
    }

    private void verify(JsonObject raw) {
        JsonObject node = resolve(raw);
        for (String keyword : node.fieldNames()) {
            if (!KEYWORDS.contains(keyword) && !ANNOTATIONS.contains(keyword)) {
                throw new IllegalStateException("bodies cannot be judged by " + keyword);
            }
        }
        if (node.containsKey("properties")) {
            node.getJsonObject("properties").forEach(entry -> verify((JsonObject) entry.getValue()));
        }
        if (node.containsKey("items")) {
            verify(node.getJsonObject("items"));
        }
    }

    private JsonObject resolve(JsonObject node) {
        if (!node.containsKey("$ref")) {
            return node;
        }
        JsonObject found = contract;
        for (String step : node.getString("$ref").substring(2).split("/", -1)) {
            found = found.getJsonObject(step);
        }
        return resolve(found);
    }

    /** What is wrong with a body; empty: nothing. */
    List<Problem.Fault> faults(@Nullable Object body) {
        List<Problem.Fault> faults = new ArrayList<>();
        evaluate(schema, body, "", faults);
        return faults;
    }

    private void evaluate(JsonObject raw, @Nullable Object value, String pointer, List<Problem.Fault> faults) {
        JsonObject rule = resolve(raw);
        Set<String> types = types(rule);
        if (!types.contains(typeOf(value))) {
            add(faults, pointer, "must be " + wanted(rule, types) + ", not " + inWords(typeOf(value)));
        } else if (value instanceof JsonObject object) {
            judgeObject(rule, object, pointer, faults);
        } else if (value instanceof JsonArray array) {
            judgeArray(rule, array, pointer, faults);
        } else if (value instanceof String text) {
            judgeText(rule, text, pointer, faults);
        }
    }

    private static String wanted(JsonObject rule, Set<String> types) {
        String kinds = types.stream().sorted().map(BodyValidator::inWords).collect(Collectors.joining(" or "));
        List<?> members = rule.getJsonArray("required", new JsonArray()).getList();
        return members.isEmpty()
                ? kinds
                : kinds + " with " + members.stream().map(String::valueOf).collect(Collectors.joining(" and "));
    }

    private static String inWords(String type) {
        return switch (type) {
            case "object" -> "an object";
            case "array" -> "a list";
            case "boolean" -> "true or false";
            case "null" -> "null";
            default -> "a " + type;
        };
    }

    private static Set<String> types(JsonObject rule) {
        Object type = rule.getValue("type");
        return type instanceof JsonArray several
                ? several.stream().map(String.class::cast).collect(Collectors.toSet())
                : Set.of(String.valueOf(type));
    }

    private static String typeOf(@Nullable Object value) {
        if (value == null) {
            return "null";
        }
        if (value instanceof JsonObject) {
            return "object";
        }
        if (value instanceof JsonArray) {
            return "array";
        }
        return value instanceof String ? "string" : value instanceof Boolean ? "boolean" : "number";
    }

    private void judgeObject(JsonObject rule, JsonObject object, String pointer, List<Problem.Fault> faults) {
        JsonObject properties = rule.getJsonObject("properties");
        for (Object name : rule.getJsonArray("required", new JsonArray())) {
            if (!object.containsKey((String) name)) {
                add(faults, member(pointer, (String) name), "is missing");
            }
        }
        for (Map.Entry<String, Object> entry : object) {
            JsonObject property = properties.getJsonObject(entry.getKey());
            if (property != null) {
                evaluate(property, entry.getValue(), member(pointer, entry.getKey()), faults);
            } else {
                add(
                        faults,
                        member(pointer, entry.getKey()),
                        "is not known here; there may be "
                                + properties.fieldNames().stream().sorted().collect(Collectors.joining(", ")));
            }
        }
    }

    private void judgeArray(JsonObject rule, JsonArray array, String pointer, List<Problem.Fault> faults) {
        if (array.size() < rule.getInteger("minItems", 0)) {
            add(faults, pointer, "must have at least " + counted(rule.getInteger("minItems"), "item"));
        }
        if (array.size() > rule.getInteger("maxItems", Integer.MAX_VALUE)) {
            add(faults, pointer, "must have at most " + rule.getInteger("maxItems") + " items");
            return;
        }
        Set<Object> seen = new HashSet<>();
        for (int i = 0; i < array.size(); i++) {
            Object item = array.getValue(i);
            evaluate(rule.getJsonObject("items"), item, pointer + "/" + i, faults);
            if (!seen.add(String.valueOf(item)) && rule.getBoolean("uniqueItems", false)) {
                add(faults, pointer + "/" + i, "is there twice");
            }
        }
    }

    private static void judgeText(JsonObject rule, String text, String pointer, List<Problem.Fault> faults) {
        if (text.codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE)) {
            add(faults, pointer, "holds half a surrogate pair, which UTF-8 cannot say");
            return;
        }
        int length = text.codePointCount(0, text.length());
        if (length < rule.getInteger("minLength", 0)) {
            add(faults, pointer, "must have at least " + counted(rule.getInteger("minLength"), "character"));
        }
        if (length > rule.getInteger("maxLength", Integer.MAX_VALUE)) {
            add(faults, pointer, "must have at most " + rule.getInteger("maxLength") + " characters");
        }
        JsonArray values = rule.getJsonArray("enum");
        if (values != null && !values.contains(text)) {
            add(
                    faults,
                    pointer,
                    "must be one of " + values.stream().map(String::valueOf).collect(Collectors.joining(", ")));
        }
        if ("date-time".equals(rule.getString("format")) && !isDateTime(text)) {
            add(faults, pointer, "must be a time such as 2027-01-31T12:00:00Z (RFC 3339)");
        }
    }

    private static boolean isDateTime(String text) {
        try {
            OffsetDateTime.parse(text);
            return true;
        } catch (DateTimeParseException none) {
            return false;
        }
    }

    private static void add(List<Problem.Fault> faults, String pointer, String detail) {
        faults.add(Problem.Fault.pointer(pointer, detail));
    }

    private static String member(String pointer, String name) {
        return pointer + '/' + name.replace("~", "~0").replace("/", "~1");
    }

    private static String counted(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }
}
