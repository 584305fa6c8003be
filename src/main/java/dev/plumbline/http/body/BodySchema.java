package dev.plumbline.http.body;

import dev.plumbline.http.ApiContract;
import dev.plumbline.http.problem.Problem;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.pointer.JsonPointer;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A JSON Schema, for example that of a request body in openapi.json. Translates the output of the validator into one
 * error per JSON pointer (RFC 6901). The messages of the validator are not used, because they repeat the input, for
 * example a password.
 */
public final class BodySchema {
    private static final JsonSchemaOptions OPTIONS = new JsonSchemaOptions()
            .setBaseUri("https://plumbline.invalid/")
            .setDraft(Draft.DRAFT202012)
            .setOutputFormat(OutputFormat.Basic);

    private final JsonObject schema;
    private final Validator validator;

    private BodySchema(JsonObject schema) {
        this.schema = schema;
        this.validator = Validator.create(JsonSchema.of(schema), OPTIONS);
    }

    /** @param schema without references */
    public static BodySchema of(JsonObject schema) {
        return new BodySchema(schema.copy());
    }

    /**
     * The schema of the JSON body of an operation.
     *
     * @throws IllegalArgumentException if the contract has no such operation
     */
    static BodySchema of(JsonObject contract, String operationId) {
        for (Map.Entry<String, Object> path : contract.getJsonObject("paths")) {
            for (Map.Entry<String, Object> method : (JsonObject) path.getValue()) {
                if (method.getValue() instanceof JsonObject operation
                        && operationId.equals(operation.getString("operationId"))) {
                    String ref = (String) at(operation, "/requestBody/content/application~1json/schema/$ref");
                    // the validator adds members to its copy
                    Object body = ApiContract.resolved(contract, at(contract, ref.substring(1)), member -> true);
                    return new BodySchema((JsonObject) Objects.requireNonNull(body));
                }
            }
        }
        throw new IllegalArgumentException(operationId + " is not in openapi.json");
    }

    private static Object at(@Nullable Object root, String pointer) {
        return JsonPointer.from(pointer).queryJson(root);
    }

    /** The errors of a body, at most one per pointer; empty if it is valid. */
    public List<Problem.Fault> faults(@Nullable Object body) {
        Map<String, String> faults = new LinkedHashMap<>();
        checkStrings(schema, body, "", faults);
        OutputUnit result = validator.validate(body);
        if (result.getErrors() != null) {
            for (OutputUnit error : result.getErrors()) {
                translate(error, body, faults);
            }
        }
        return faults.entrySet().stream()
                .map(fault -> Problem.Fault.pointer(fault.getKey(), fault.getValue()))
                .toList();
    }

    private void translate(OutputUnit error, @Nullable Object body, Map<String, String> faults) {
        String pointer = fragment(error.getInstanceLocation());
        String location = fragment(error.getKeywordLocation());
        int slash = location.lastIndexOf('/');
        String keyword = location.substring(slash + 1);
        Object parent = at(schema, location.substring(0, Math.max(0, slash)));
        if (!(parent instanceof JsonObject rule)) {
            return;
        }
        switch (keyword) {
            case "required" -> {
                for (Object name : rule.getJsonArray("required")) {
                    if (error.getError().endsWith('"' + (String) name + '"')) {
                        faults.putIfAbsent(pointer + "/" + name, "is required");
                    }
                }
            }
            case "additionalProperties" -> {
                // the validator also reports declared properties that are invalid
                Set<String> known = rule.getJsonObject("properties").fieldNames();
                if (!known.contains(pointer.substring(pointer.lastIndexOf('/') + 1))) {
                    faults.putIfAbsent(
                            pointer,
                            "is not a known property; allowed properties: "
                                    + known.stream().sorted().collect(Collectors.joining(", ")));
                }
            }
            case "type" ->
                faults.putIfAbsent(pointer, "must be " + expected(rule) + ", not " + typeOf(at(body, pointer)));
            case "minLength", "minItems" -> faults.putIfAbsent(pointer, "must have at least " + counted(rule, keyword));
            case "maxLength", "maxItems" -> faults.putIfAbsent(pointer, "must have at most " + counted(rule, keyword));
            case "minimum" -> faults.putIfAbsent(pointer, "must be at least " + rule.getValue(keyword));
            case "maximum" -> faults.putIfAbsent(pointer, "must be at most " + rule.getValue(keyword));
            case "uniqueItems" -> {
                // "Duplicate items at indexes 0 and 1"
                String text = error.getError();
                faults.putIfAbsent(pointer + "/" + text.substring(text.lastIndexOf(' ') + 1), "is a duplicate item");
            }
            case "enum" -> faults.putIfAbsent(pointer, "must be one of " + joined(rule.getJsonArray("enum"), ", "));
            case "format" -> faults.putIfAbsent(pointer, dateTimeFault());
            case "properties", "items" -> {
                // a summary of errors that are listed as well
            }
            default -> faults.putIfAbsent(pointer, "does not match " + keyword + " of the schema");
        }
    }

    /** What the schema cannot express: strings must be valid Unicode, and a date-time must exist in the calendar. */
    private static void checkStrings(
            @Nullable JsonObject rule, @Nullable Object value, String pointer, Map<String, String> faults) {
        if (value instanceof JsonObject object) {
            JsonObject properties = rule == null ? null : rule.getJsonObject("properties");
            object.forEach(entry -> checkStrings(
                    properties == null ? null : properties.getJsonObject(entry.getKey()),
                    entry.getValue(),
                    pointer + "/" + entry.getKey().replace("~", "~0").replace("/", "~1"),
                    faults));
        } else if (value instanceof JsonArray array) {
            for (int i = 0; i < array.size(); i++) {
                checkStrings(null, array.getValue(i), pointer + "/" + i, faults);
            }
        } else if (value instanceof String text) {
            if (JsonBody.hasUnpairedSurrogate(text)) {
                faults.put(pointer, "contains an unpaired surrogate, which is not valid Unicode");
            } else if (rule != null && "date-time".equals(rule.getString("format")) && !isTime(text)) {
                faults.put(pointer, dateTimeFault());
            }
        }
    }

    private static boolean isTime(String text) {
        try {
            OffsetDateTime.parse(text);
            return true;
        } catch (DateTimeParseException invalid) {
            return false;
        }
    }

    private static String dateTimeFault() {
        return "must be an RFC 3339 time, for example 2027-01-31T12:00:00Z";
    }

    private static String fragment(String location) {
        return location.substring(location.indexOf('#') + 1);
    }

    /** The types of a rule and, of an object, its required properties. */
    private static String expected(JsonObject rule) {
        JsonArray types = rule.getValue("type") instanceof JsonArray several
                ? several
                : new JsonArray().add(rule.getValue("type"));
        String names =
                types.stream().map(type -> inWords((String) type)).sorted().collect(Collectors.joining(" or "));
        JsonArray required = rule.getJsonArray("required");
        return required == null ? names : names + " with " + joined(required, " and ");
    }

    private static String inWords(String type) {
        return switch (type) {
            case "object", "array", "integer" -> "an " + type;
            case "null" -> type;
            default -> "a " + type;
        };
    }

    private static String typeOf(@Nullable Object value) {
        if (value == null) {
            return "null";
        }
        if (value instanceof JsonObject) {
            return "an object";
        }
        if (value instanceof JsonArray) {
            return "an array";
        }
        return value instanceof String ? "a string" : value instanceof Boolean ? "a boolean" : "a number";
    }

    private static String counted(JsonObject rule, String keyword) {
        int number = rule.getInteger(keyword);
        return number + (keyword.endsWith("Items") ? " item" : " character") + (number == 1 ? "" : "s");
    }

    private static String joined(JsonArray values, String separator) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(separator));
    }
}
