package dev.plumbline.http.api.mcp;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.pointer.JsonPointer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * JSON Schemas of openapi.json as documents of their own: the named schemas replace the references to them.
 * Descriptions and members that only generators of clients use ({@code x-*}) are omitted, which reduces the list of
 * tools from 416 to 230 KB: clients can pass it to a model.
 */
final class ContractSchemas {
    private final JsonObject contract;

    /** @param contract openapi.json with the operations of the modules */
    ContractSchemas(JsonObject contract) {
        this.contract = contract;
    }

    /** The schema of the JSON body of a response. */
    JsonObject response(String path, String method, String status) {
        JsonObject response = contract.getJsonObject("paths")
                .getJsonObject(path)
                .getJsonObject(method)
                .getJsonObject("responses")
                .getJsonObject(status);
        return (JsonObject) Objects.requireNonNull(inlined(response.getJsonObject("content")
                .getJsonObject("application/json")
                .getJsonObject("schema")));
    }

    private @Nullable Object inlined(@Nullable Object node) {
        if (node instanceof JsonArray items) {
            JsonArray copy = new JsonArray();
            items.forEach(item -> copy.add(inlined(item)));
            return copy;
        }
        if (!(node instanceof JsonObject schema)) {
            return node;
        }
        if (schema.getValue("$ref") instanceof String reference) {
            return inlined(JsonPointer.from(reference.substring(1)).queryJson(contract));
        }
        JsonObject copy = new JsonObject();
        schema.forEach(member -> {
            boolean text = member.getKey().equals("description") && member.getValue() instanceof String;
            if (!text && !member.getKey().startsWith("x-")) {
                copy.put(member.getKey(), inlined(member.getValue()));
            }
        });
        return copy;
    }
}
