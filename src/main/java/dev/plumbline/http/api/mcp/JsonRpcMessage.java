package dev.plumbline.http.api.mcp;

import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.target.PrintableText;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message of JSON-RPC 2.0, with the restrictions of MCP: no batches, parameters by name, and IDs that are strings or
 * integers.
 *
 * @param id the ID of a request, a String, Integer, Long or BigInteger; null for a notification and for a response
 * @param method null for a response
 * @param params empty if the message has none
 */
record JsonRpcMessage(@Nullable Object id, @Nullable String method, JsonObject params) {
    private static final String VERSION = "2.0";
    private static final int MAX_SHOWN = 64;

    /** @throws JsonRpcException if the body is not a message */
    static JsonRpcMessage parse(Buffer body) {
        Object json;
        try {
            json = JsonBody.parse(body);
        } catch (ProblemException invalid) {
            throw JsonRpcException.parseError(invalid.problem().detail());
        }
        if (json instanceof JsonArray) {
            throw JsonRpcException.invalidRequest(
                    null, "The request body is a batch. MCP does not support batches: send one message per request.");
        }
        if (!(json instanceof JsonObject message)) {
            throw JsonRpcException.invalidRequest(null, "The request body must be a JSON-RPC message (an object).");
        }
        return of(message);
    }

    private static JsonRpcMessage of(JsonObject message) {
        Object id = message.getValue("id");
        boolean validId =
                id instanceof String || id instanceof Integer || id instanceof Long || id instanceof BigInteger;
        if (message.containsKey("id") && !validId) {
            throw JsonRpcException.invalidRequest(null, "id must be a string or an integer.");
        }
        if (hasUnpairedSurrogate(message.getMap())) {
            throw JsonRpcException.invalidRequest(
                    null, "The message contains an unpaired surrogate, which is not valid Unicode.");
        }
        if (!VERSION.equals(message.getValue("jsonrpc"))) {
            throw JsonRpcException.invalidRequest(id, "jsonrpc must be \"2.0\".");
        }
        if (!message.containsKey("method") && (message.containsKey("result") || message.containsKey("error"))) {
            return new JsonRpcMessage(null, null, new JsonObject());
        }
        if (!(message.getValue("method") instanceof String method)) {
            throw JsonRpcException.invalidRequest(id, "method must be a string.");
        }
        Object params = message.getValue("params", new JsonObject());
        if (!(params instanceof JsonObject named)) {
            throw JsonRpcException.invalidRequest(id, "params must be an object.");
        }
        return new JsonRpcMessage(id, method, named);
    }

    private static boolean hasUnpairedSurrogate(@Nullable Object value) {
        if (value instanceof Map<?, ?> object) {
            return hasUnpairedSurrogate(object.keySet()) || hasUnpairedSurrogate(object.values());
        }
        if (value instanceof Collection<?> items) {
            return items.stream().anyMatch(JsonRpcMessage::hasUnpairedSurrogate);
        }
        return value instanceof String text && JsonBody.hasUnpairedSurrogate(text);
    }

    /**
     * Returns a required parameter.
     *
     * @throws JsonRpcException if it is not a string
     */
    String text(String name) {
        if (params.getValue(name) instanceof String text) {
            return text;
        }
        throw JsonRpcException.invalidParams("Parameter " + name + " must be a string.");
    }

    /** Client input for use in an error message. */
    static String shown(String text) {
        return "'" + PrintableText.shorten(text, MAX_SHOWN) + "'";
    }
}
