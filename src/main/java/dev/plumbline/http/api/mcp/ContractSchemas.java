package dev.plumbline.http.api.mcp;

import dev.plumbline.http.ApiContract;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * JSON Schemas of openapi.json as documents of their own: the named schemas replace the references to them. Members
 * that only generators of clients use ({@code x-*}) are omitted.
 *
 * <p>Clients can pass the list of tools to a model, so the schemas of results contain only the names, types and values
 * of their members. This reduces the list of the modules from 416 to 158 KB. The resources of the modules contain the
 * complete schemas.
 */
final class ContractSchemas {
    private static final String DESCRIPTION = "description";

    /** The keywords in schemas of results, besides those with schemas. Others only restrict values further. */
    private static final Set<String> RESULT_KEYWORDS = Set.of("type", "anyOf", "enum", "format");

    /** A longer enumeration is omitted from schemas of results, such as the error codes, which each tool has. */
    private static final int MAX_RESULT_VALUES = 20;

    private final JsonObject contract;

    /** @param contract openapi.json with the operations of the modules */
    ContractSchemas(JsonObject contract) {
        this.contract = contract;
    }

    /** The schema of the JSON body of a response: names, types and values. */
    JsonObject response(String path, String method, String status) {
        JsonObject responses = operation(path, method).getJsonObject("responses");
        return inlined(schema(responses.getJsonObject(status)), ContractSchemas::isOfResult);
    }

    /** The schema of the JSON body of a request. */
    JsonObject request(String path, String method) {
        return inlined(schema(operation(path, method).getJsonObject("requestBody")), member -> true);
    }

    /**
     * The schema of an object with the parameters of an operation.
     *
     * @param descriptions of the parameters, in their order; those that the operation does not have are ignored
     */
    JsonObject parameters(String path, String method, Map<String, String> descriptions) {
        Map<String, JsonObject> declared = new HashMap<>();
        for (Object each : operation(path, method).getJsonArray("parameters")) {
            JsonObject parameter = inlined(each, member -> !member.getKey().equals(DESCRIPTION));
            declared.put(parameter.getString("name"), parameter);
        }
        JsonObject properties = new JsonObject();
        JsonArray required = new JsonArray();
        descriptions.forEach((name, description) -> {
            JsonObject parameter = declared.get(name);
            if (parameter != null) {
                properties.put(name, parameter.getJsonObject("schema").put(DESCRIPTION, description));
                if (parameter.getBoolean("required", false)) {
                    required.add(name);
                }
            }
        });
        return new JsonObject()
                .put("type", "object")
                .put("properties", properties)
                .put("required", required)
                .put("additionalProperties", false);
    }

    private JsonObject operation(String path, String method) {
        return contract.getJsonObject("paths").getJsonObject(path).getJsonObject(method);
    }

    private static JsonObject schema(JsonObject body) {
        return body.getJsonObject("content").getJsonObject("application/json").getJsonObject("schema");
    }

    private static boolean isOfResult(Map.Entry<String, Object> member) {
        String name = member.getKey();
        if (member.getValue() instanceof JsonObject) {
            // a schema, or the schemas of the properties, which can have the name of a keyword
            return !name.equals("dependentRequired");
        }
        return RESULT_KEYWORDS.contains(name)
                && !(name.equals("enum") && ((JsonArray) member.getValue()).size() > MAX_RESULT_VALUES);
    }

    private JsonObject inlined(Object node, Predicate<Map.Entry<String, Object>> kept) {
        Object copy =
                ApiContract.resolved(contract, node, member -> !member.getKey().startsWith("x-") && kept.test(member));
        return (JsonObject) Objects.requireNonNull(copy);
    }
}
