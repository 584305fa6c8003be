package dev.plumbline.http.api.mcp;

import dev.plumbline.http.ApiContract;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * JSON Schemas of openapi.json as documents of their own: the named schemas replace the references to them.
 * Descriptions of results and members that only generators of clients use ({@code x-*}) are omitted, which reduces the
 * list of tools from 416 to 230 KB: clients can pass it to a model.
 */
final class ContractSchemas {
    private final JsonObject contract;

    /** @param contract openapi.json with the operations of the modules */
    ContractSchemas(JsonObject contract) {
        this.contract = contract;
    }

    /** The schema of the JSON body of a response, without descriptions. */
    JsonObject response(String path, String method, String status) {
        JsonObject responses = operation(path, method).getJsonObject("responses");
        return inlined(schema(responses.getJsonObject(status)), false);
    }

    /** The schema of the JSON body of a request. */
    JsonObject request(String path, String method) {
        return inlined(schema(operation(path, method).getJsonObject("requestBody")), true);
    }

    /**
     * The schema of an object with the parameters of an operation.
     *
     * @param descriptions of the parameters, in their order; those that the operation does not have are ignored
     */
    JsonObject parameters(String path, String method, Map<String, String> descriptions) {
        Map<String, JsonObject> declared = new HashMap<>();
        for (Object each : operation(path, method).getJsonArray("parameters")) {
            JsonObject parameter = inlined(each, false);
            declared.put(parameter.getString("name"), parameter);
        }
        JsonObject properties = new JsonObject();
        JsonArray required = new JsonArray();
        descriptions.forEach((name, description) -> {
            JsonObject parameter = declared.get(name);
            if (parameter != null) {
                properties.put(name, parameter.getJsonObject("schema").put("description", description));
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

    private JsonObject inlined(Object node, boolean described) {
        Object copy = ApiContract.resolved(contract, node, member -> {
            boolean text = member.getKey().equals("description") && member.getValue() instanceof String;
            return (described || !text) && !member.getKey().startsWith("x-");
        });
        return (JsonObject) Objects.requireNonNull(copy);
    }
}
