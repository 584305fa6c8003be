package dev.plumbline.http.api.mcp;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;

/** The results of {@code tools/call} (CallToolResult). */
final class ToolResult {
    /** The member of {@code _meta} with the problem document. */
    static final String PROBLEM = "dev.plumbline/problem";

    private ToolResult() {}

    /**
     * A successful call. Its content is repeated as text for clients that do not support structured content.
     *
     * @param json an object
     */
    static Buffer of(byte[] json) {
        String text = new String(json, StandardCharsets.UTF_8);
        return Buffer.buffer(2 * json.length + (json.length >> 2))
                .appendString("{\"content\":[{\"type\":\"text\",\"text\":\"")
                .appendBytes(JsonStringEncoder.getInstance().quoteAsUTF8(text))
                .appendString("\"}],\"structuredContent\":")
                .appendBytes(json)
                .appendString(",\"isError\":false}");
    }

    /**
     * A failed call. The text tells the model what to correct, or when to retry. The problem document is metadata:
     * clients reject structured content that does not match the output schema of the tool, also of failed calls.
     */
    static Buffer of(RoutingContext ctx, Problem problem, ProblemResponder problems) {
        StringBuilder text = new StringBuilder(problem.detail());
        for (Problem.Fault fault : problem.faults()) {
            if (!problem.detail().contains(fault.detail())) {
                text.append("\n- ").append(fault.where()).append(": ").append(fault.detail());
            }
        }
        JsonObject document = problems.document(ctx, problem);
        String retryAfter = problem.headers().get("Retry-After");
        if (retryAfter != null) {
            text.append("\nRetry after ").append(retryAfter).append(" seconds.");
            document.put("retry_after_seconds", Integer.parseInt(retryAfter));
        }
        return new JsonObject()
                .put(
                        "content",
                        new JsonArray().add(new JsonObject().put("type", "text").put("text", text.toString())))
                .put("isError", true)
                .put("_meta", new JsonObject().put(PROBLEM, document))
                .toBuffer();
    }
}
