package dev.plumbline.http.api.mcp;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** An error of JSON-RPC 2.0. Has no stack trace. */
final class JsonRpcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int code;
    private final transient @Nullable Object id;

    private JsonRpcException(int code, String message, @Nullable Object id) {
        super(message, null, false, false);
        this.code = code;
        this.id = id;
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

    /** The ID of the message if it was read before the error; null otherwise. */
    @Nullable
    Object id() {
        return id;
    }

    /** The member {@code error} of the response. */
    JsonObject error() {
        return new JsonObject().put("code", code).put("message", getMessage());
    }
}
