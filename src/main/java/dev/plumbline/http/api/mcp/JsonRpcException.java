package dev.plumbline.http.api.mcp;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** An error of JSON-RPC 2.0. Has no stack trace. */
final class JsonRpcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int code;
    private final transient @Nullable Object id;
    private final transient @Nullable JsonObject data;

    private JsonRpcException(int code, String message, @Nullable Object id, @Nullable JsonObject data) {
        super(message, null, false, false);
        this.code = code;
        this.id = id;
        this.data = data;
    }

    private JsonRpcException(int code, String message, @Nullable Object id) {
        this(code, message, id, null);
    }

    /** The body is not JSON. */
    static JsonRpcException parseError(String message) {
        return new JsonRpcException(-32700, message, null);
    }

    /**
     * The body is not a message.
     *
     * @param id of the message; null if it is unknown
     */
    static JsonRpcException invalidRequest(@Nullable Object id, String message) {
        return new JsonRpcException(-32600, message, id);
    }

    static JsonRpcException methodNotFound(String message) {
        return new JsonRpcException(-32601, message, null);
    }

    static JsonRpcException invalidParams(String message) {
        return new JsonRpcException(-32602, message, null);
    }

    static JsonRpcException internalError(String message) {
        return new JsonRpcException(-32603, message, null);
    }

    /** An error of MCP. */
    static JsonRpcException resourceNotFound(String uri) {
        return new JsonRpcException(
                -32002,
                "The resource " + JsonRpcMessage.shown(uri) + " does not exist. resources/list lists all resources.",
                null,
                new JsonObject().put("uri", uri));
    }

    /** The ID of the message if it was read before the error; null otherwise. */
    @Nullable
    Object id() {
        return id;
    }

    /** The member {@code error} of the response. */
    JsonObject error() {
        JsonObject error = new JsonObject().put("code", code).put("message", getMessage());
        return data == null ? error : error.put("data", data);
    }
}
