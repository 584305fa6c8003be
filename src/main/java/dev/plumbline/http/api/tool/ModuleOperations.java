package dev.plumbline.http.api.tool;

import com.google.common.base.CaseFormat;
import com.google.common.base.CharMatcher;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.ApiContract;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.OptionDescription;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Generates the operations of openapi.json that exist once per module, for example {@code checkHttpStatus}, from the
 * module declarations. The options are typed query parameters, and the result is a named schema. The router serves
 * these paths with the generic operation {@code instantCheck}, from which the responses are copied.
 *
 * <p>Client generators require that every object and enumeration is a named schema and that nullability is declared at
 * the property.
 */
public final class ModuleOperations {
    /** Marks generated operations and schemas. The value is the module. */
    public static final String EXTENSION = "x-module";

    /**
     * The nullable properties of an object that are always present, but not required: generated Java clients reject
     * null for a required object, enumeration or array.
     */
    private static final String ALWAYS_PRESENT = "x-always-present";

    /**
     * The names of the constants of an enumeration. Go constants share one scope, and several enumerations have equal
     * values, so the names begin with that of the schema.
     */
    private static final String CONSTANT_NAMES = "x-enum-varnames";

    private static final String GENERIC_PATH = "/api/v1/instant/{module}/{target}";
    private static final String TAG = "modules";

    /** Fields whose schema would have the same name as a schema of the module. */
    private static final Set<String> RESERVED = Set.of("result", "fields");

    private static final CharMatcher NOT_IN_NAMES = CharMatcher.inRange('a', 'z')
            .or(CharMatcher.inRange('A', 'Z'))
            .or(CharMatcher.inRange('0', '9'))
            .negate();

    private final JsonObject generic;
    private final JsonObject resultSchema;
    private final JsonObject paths = new JsonObject();
    private final JsonObject schemas = new JsonObject();

    private ModuleOperations(JsonObject contract) {
        this.generic =
                contract.getJsonObject("paths").getJsonObject(GENERIC_PATH).getJsonObject("get");
        this.resultSchema =
                contract.getJsonObject("components").getJsonObject("schemas").getJsonObject("InstantResult");
    }

    /** Returns a copy of openapi.json with the operations of these modules. */
    public static JsonObject addTo(JsonObject contract, ModuleCatalogue modules) {
        ModuleOperations operations = new ModuleOperations(contract);
        modules.descriptions().forEach(operations::add);
        JsonObject extended = contract.copy();
        JsonObject named = extended.getJsonObject("components").getJsonObject("schemas");
        for (String name : operations.schemas.fieldNames()) {
            if (named.containsKey(name)) {
                throw new IllegalStateException("openapi.json already has a schema " + name);
            }
        }
        named.mergeIn(operations.schemas);
        extended.getJsonObject("paths").mergeIn(operations.paths);
        return extended;
    }

    /** As {@link #addTo(JsonObject, ModuleCatalogue)}, for the published document. */
    public static ApiContract addTo(ApiContract contract, ModuleCatalogue modules) {
        return contract.withPublished(addTo(contract.published(), modules));
    }

    private void add(ModuleDescription module) {
        String prefix = pascalCase(module.module());
        JsonArray parameters = new JsonArray().add(target(module));
        module.options().forEach(option -> parameters.add(parameter(option)));
        for (String shared : List.of("Policy", "Expect", "IfNoneMatch", "RequestId")) {
            parameters.add(reference("parameters", shared));
        }
        JsonObject responses = generic.getJsonObject("responses").copy();
        // the path exists
        responses.remove("404");
        JsonObject ok = responses.getJsonObject("200").copy();
        ok.put(
                "content",
                new JsonObject()
                        .put(
                                "application/json",
                                new JsonObject().put("schema", reference("schemas", prefix + "Result"))));
        responses.put("200", ok);
        JsonObject operation = new JsonObject()
                .put("operationId", "check" + prefix)
                .put("tags", new JsonArray().add(TAG))
                .put("security", generic.getJsonArray("security"))
                .put("summary", module.title())
                .put("description", module.summary() + " This is the operation `instantCheck` of one module.")
                .put(EXTENSION, module.module())
                .put("parameters", parameters)
                .put("responses", responses);
        paths.put("/api/v1/instant/" + module.module() + "/{target}", new JsonObject().put("get", operation));
        addSchemas(module, prefix);
    }

    private static JsonObject target(ModuleDescription module) {
        return new JsonObject()
                .put("name", "target")
                .put("in", "path")
                .put("required", true)
                .put("description", "The target, percent-encoded. At most 2,048 bytes after decoding.")
                .put("schema", new JsonObject().put("type", "string").put("minLength", 1))
                .put("example", module.example());
    }

    private static JsonObject parameter(OptionDescription option) {
        JsonObject schema = ToolSchemas.option(option);
        schema.remove("title");
        schema.remove("description");
        if (schema.getValue("default") instanceof JsonArray items && items.isEmpty()) {
            // Go clients of openapi-generator do not compile with an empty array as default
            schema.remove("default");
        }
        JsonObject parameter = new JsonObject()
                .put("name", option.name())
                .put("in", "query")
                .put("required", false)
                .put("description", option.description());
        if (option.type() == OptionDescription.Type.ARRAY) {
            parameter.put("style", "form").put("explode", false);
        }
        return parameter.put("schema", schema);
    }

    private void addSchemas(ModuleDescription module, String prefix) {
        JsonObject properties = resultSchema.getJsonObject("properties").copy();
        properties.put(
                "module", new JsonObject().put("type", "string").put("enum", new JsonArray().add(module.module())));
        properties.put("fields", reference("schemas", prefix + "Fields"));
        JsonObject result = resultSchema.copy().put("properties", properties);
        result.put("description", "The result of " + module.module() + ".");
        addSchema(module, prefix + "Result", result);
        addSchema(
                module,
                prefix + "Fields",
                object(module, prefix, module.fields(), true)
                        .put(
                                "description",
                                "The fields of a result of " + module.module()
                                        + ". Without an error, only fields that the tools list declares as nullable"
                                        + " are null."));
    }

    private void addSchema(ModuleDescription module, String name, JsonObject schema) {
        if (schemas.containsKey(name)) {
            throw new IllegalStateException("two schemas have the name " + name);
        }
        schemas.put(name, schema.put(EXTENSION, module.module()));
    }

    /**
     * Returns the schema of an object and adds the schemas that it refers to.
     *
     * @param prefix of the names of these schemas
     * @param nullable whether every property can be null
     */
    private JsonObject object(
            ModuleDescription module, String prefix, List<FieldDescription> fields, boolean nullable) {
        JsonObject properties = new JsonObject();
        JsonArray required = new JsonArray();
        JsonArray alwaysPresent = new JsonArray();
        for (FieldDescription field : fields) {
            boolean canBeNull = nullable || field.nullable();
            JsonObject property = property(module, prefix, field, canBeNull);
            properties.put(field.name(), property);
            boolean rejected = canBeNull && (property.containsKey("anyOf") || field.type() == FieldType.ARRAY);
            (rejected ? alwaysPresent : required).add(field.name());
        }
        JsonObject schema = new JsonObject().put("type", "object").put("properties", properties);
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        if (!alwaysPresent.isEmpty()) {
            schema.put(ALWAYS_PRESENT, alwaysPresent);
        }
        return schema.put("additionalProperties", false);
    }

    private JsonObject property(ModuleDescription module, String prefix, FieldDescription field, boolean nullable) {
        JsonObject schema;
        if (field.type() == FieldType.ARRAY) {
            schema = new JsonObject()
                    .put("type", "array")
                    .put("items", value(module, prefix + pascalCase(field.name()) + "Item", field, field.items()));
        } else {
            String name = prefix + pascalCase(field.name()) + (RESERVED.contains(field.name()) ? "Value" : "");
            schema = value(module, name, field, field.type());
        }
        if (nullable && schema.containsKey("$ref")) {
            JsonObject referenced = schema;
            schema = new JsonObject()
                    .put("anyOf", new JsonArray().add(referenced).add(new JsonObject().put("type", "null")));
        } else if (nullable) {
            schema.put("type", new JsonArray().add(schema.getString("type")).add("null"));
        }
        boolean listed = !field.values().isEmpty() && !isEnumeration(field.values());
        return schema.put(
                "description",
                field.description() + (listed ? " One of: " + String.join(", ", field.values()) + "." : ""));
    }

    /** Returns the schema of a value. Objects with declared members and enumerations become the named schema. */
    private JsonObject value(ModuleDescription module, String name, FieldDescription field, FieldType type) {
        if (type == FieldType.OBJECT && !field.members().isEmpty()) {
            addSchema(
                    module, name, object(module, name, field.members(), false).put("description", field.title() + "."));
            return reference("schemas", name);
        }
        if (type == FieldType.STRING && isEnumeration(field.values())) {
            addSchema(
                    module,
                    name,
                    new JsonObject()
                            .put("type", "string")
                            .put("enum", new JsonArray(field.values()))
                            .put(CONSTANT_NAMES, constantNames(name, field.values()))
                            .put("description", field.title() + "."));
            return reference("schemas", name);
        }
        if (type == FieldType.TIME) {
            return new JsonObject().put("type", "string").put("format", "date-time");
        }
        JsonObject schema = new JsonObject().put("type", type.id());
        return type == FieldType.OBJECT ? schema.put("additionalProperties", true) : schema;
    }

    /**
     * Whether the values have different letters and digits. Generators derive names from these, so {@code A} and
     * {@code A+} would have the same name.
     */
    private static boolean isEnumeration(List<String> values) {
        return !values.isEmpty()
                && values.stream()
                                .map(value -> CharMatcher.forPredicate(Character::isLetterOrDigit)
                                        .retainFrom(value)
                                        .toUpperCase(Locale.ROOT))
                                .distinct()
                                .count()
                        == values.size();
    }

    /** Returns, for example, {@code DMARC_POLICY_NONE} for the value {@code none} of {@code DmarcPolicy}. */
    private static JsonArray constantNames(String schema, List<String> values) {
        String prefix = CaseFormat.UPPER_CAMEL.to(CaseFormat.UPPER_UNDERSCORE, schema);
        return new JsonArray(values.stream()
                .map(value ->
                        prefix + '_' + NOT_IN_NAMES.replaceFrom(value, '_').toUpperCase(Locale.ROOT))
                .toList());
    }

    private static JsonObject reference(String kind, String name) {
        return new JsonObject().put("$ref", "#/components/" + kind + "/" + name);
    }

    /** Converts {@code http-status} and {@code http_status} to {@code HttpStatus}. */
    static String pascalCase(String name) {
        return Arrays.stream(name.split("[-_]", -1))
                .filter(word -> !word.isEmpty())
                .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
                .collect(Collectors.joining());
    }
}
