package dev.plumbline.http.api.mcp;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.sheet.ModuleDescription;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The methods of MCP. Stateless: each request is independent of others, also of {@code initialize}.
 *
 * <p>This is not the official Java SDK. mcp-core brings Reactor, and its server is a blocking servlet or a publisher of
 * Reactor; only these calls are needed.
 */
final class McpServer {
    /**
     * The supported versions of the protocol, the preferred one first. Earlier versions require batches, or another
     * transport.
     */
    static final List<String> VERSIONS = List.of("2025-11-25", "2025-06-18");

    private static final Buffer EMPTY = Buffer.buffer("{}");

    private final JsonObject serverInfo;
    private final String instructions;
    private final Buffer toolList;
    private final ModuleTools modules;
    private final ProblemResponder problems;

    /**
     * @param version of the program
     * @param publicUrl the public base URL of the service
     * @param instructions for agents
     */
    McpServer(
            String version,
            String publicUrl,
            String instructions,
            ModuleTools modules,
            ContractSchemas schemas,
            ProblemResponder problems) {
        this.serverInfo = new JsonObject()
                .put("name", "plumbline")
                .put("title", "Plumbline")
                .put("version", version)
                .put("websiteUrl", publicUrl);
        this.instructions = instructions;
        this.toolList = new JsonObject()
                .put("tools", new JsonArray(modules.declarations(schemas)))
                .toBuffer();
        this.modules = modules;
        this.problems = problems;
    }

    /**
     * Handles a request. Fails with a {@link JsonRpcException}.
     *
     * @param caller null without an API key
     * @return the member {@code result} of the response, as JSON
     */
    Future<Buffer> handle(RoutingContext ctx, @Nullable ApiCaller caller, JsonRpcMessage request) {
        return Future.succeededFuture(request)
                .compose(message -> dispatch(ctx, caller, message))
                .recover(failure -> Future.failedFuture(
                        failure instanceof JsonRpcException
                                ? failure
                                : JsonRpcException.internalError(
                                        ProblemResponder.failure(ctx, failure).detail())));
    }

    private Future<Buffer> dispatch(RoutingContext ctx, @Nullable ApiCaller caller, JsonRpcMessage request) {
        String method = String.valueOf(request.method());
        return switch (method) {
            case "initialize" -> Future.succeededFuture(initialize(request));
            case "ping" -> Future.succeededFuture(EMPTY);
            case "tools/list" -> Future.succeededFuture(onePage(request, toolList));
            case "tools/call" -> call(ctx, caller, request);
            default ->
                throw JsonRpcException.methodNotFound(
                        "The method " + JsonRpcMessage.shown(method) + " does not exist, or is not supported.");
        };
    }

    private Buffer initialize(JsonRpcMessage request) {
        String requested = request.text("protocolVersion");
        return new JsonObject()
                .put("protocolVersion", VERSIONS.contains(requested) ? requested : VERSIONS.get(0))
                .put("capabilities", new JsonObject().put("tools", new JsonObject()))
                .put("serverInfo", serverInfo)
                .put("instructions", instructions)
                .toBuffer();
    }

    /** A list that is not paginated, so no cursor is valid. */
    private static Buffer onePage(JsonRpcMessage request, Buffer list) {
        if (request.params().getValue("cursor") != null) {
            throw JsonRpcException.invalidParams("The cursor is not valid: the list has one page.");
        }
        return list;
    }

    private Future<Buffer> call(RoutingContext ctx, @Nullable ApiCaller caller, JsonRpcMessage request) {
        String tool = request.text("name");
        Object given = request.params().getValue("arguments", new JsonObject());
        if (!(given instanceof JsonObject arguments)) {
            throw JsonRpcException.invalidParams("Parameter arguments must be an object.");
        }
        ModuleDescription module = modules.find(tool);
        if (module == null) {
            throw JsonRpcException.invalidParams(
                    "The tool " + JsonRpcMessage.shown(tool) + " does not exist. tools/list lists all tools.");
        }
        return result(
                ctx, Future.succeededFuture(arguments).compose(valid -> modules.call(ctx, caller, module, valid)));
    }

    /** Problems of a call are results, so that the model can read them. */
    private Future<Buffer> result(RoutingContext ctx, Future<byte[]> call) {
        return call.map(ToolResult::of).recover(failure -> {
            Problem problem = failure instanceof ProblemException rejection
                    ? rejection.problem()
                    : ProblemResponder.failure(ctx, failure);
            return Future.succeededFuture(ToolResult.of(ctx, problem, problems));
        });
    }
}
