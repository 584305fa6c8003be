package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

/** Sends messages of the Model Context Protocol. */
public final class McpClient {
    public static final String PATH = "/mcp";

    private final ServiceUnderTest service;
    private final List<String> headers;

    /** @param headers of each request */
    public McpClient(ServiceUnderTest service, String... headers) {
        this.service = service;
        this.headers = new ArrayList<>(List.of(headers));
        this.headers.addAll(
                List.of("Content-Type", "application/json", "Accept", "application/json, text/event-stream"));
    }

    /** Sends a body, with further headers. The messages are not in openapi.json. */
    public HttpResponse<String> post(String body, String... more) {
        List<String> all = new ArrayList<>(headers);
        all.addAll(List.of(more));
        return service.pageSent(PATH, body, all.toArray(String[]::new));
    }

    /** Sends a request and returns its response. */
    public HttpResponse<String> send(String method, JsonObject params, String... more) {
        return post(
                new JsonObject()
                        .put("jsonrpc", "2.0")
                        .put("id", 1)
                        .put("method", method)
                        .put("params", params)
                        .encode(),
                more);
    }

    /** Sends a request and returns its result. */
    public JsonObject result(String method, JsonObject params) {
        HttpResponse<String> response = send(method, params);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        JsonObject result = new JsonObject(response.body()).getJsonObject("result");
        assertThat(result).as(response.body()).isNotNull();
        return result;
    }

    /** Calls a tool and returns the result of the call. */
    public JsonObject call(String tool, JsonObject arguments) {
        return result("tools/call", call(arguments, tool));
    }

    /** The parameters of a call. */
    public static JsonObject call(JsonObject arguments, String tool) {
        return new JsonObject().put("name", tool).put("arguments", arguments);
    }

    /** The structured content of a successful call. */
    public JsonObject content(String tool, JsonObject arguments) {
        JsonObject result = call(tool, arguments);
        assertThat(result.getBoolean("isError")).as(text(result)).isFalse();
        JsonObject content = result.getJsonObject("structuredContent");
        assertThat(new JsonObject(text(result))).isEqualTo(content);
        return content;
    }

    /** The text of the result of a call. */
    public static String text(JsonObject result) {
        JsonObject content = result.getJsonArray("content").getJsonObject(0);
        assertThat(content.getString("type")).isEqualTo("text");
        return content.getString("text");
    }
}
