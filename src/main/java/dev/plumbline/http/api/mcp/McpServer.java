package dev.plumbline.http.api.mcp;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.sheet.ModuleDescription;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The methods of MCP. Stateless: each request is independent of others, including {@code initialize}.
 *
 * <p>The official Java SDK is not used: mcp-core 1.0.0 and Reactor add 2.4 MB, and its HTTP servers are servlets, so a
 * transport for Vert.x would remain.
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
    private final String moduleTools;
    private final ModuleTools modules;
    private final JobTools jobs;
    private final McpResources resources;
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
            JobTools jobs,
            McpResources resources,
            ContractSchemas schemas,
            ProblemResponder problems) {
        this.serverInfo = new JsonObject()
                .put("name", "plumbline")
                .put("title", "Plumbline")
                .put("version", version)
                .put("websiteUrl", publicUrl);
        this.instructions = instructions;
        this.moduleTools =
                modules.declarations(schemas).stream().map(JsonObject::encode).collect(Collectors.joining(","));
        this.jobs = jobs;
        this.resources = resources;
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
            case "tools/list" -> {
                requireFirstPage(request);
                yield Future.succeededFuture(toolList(caller));
            }
            case "tools/call" -> call(ctx, caller, request);
            case "resources/list" -> {
                requireFirstPage(request);
                yield resources.list();
            }
            case "resources/templates/list" -> {
                requireFirstPage(request);
                yield Future.succeededFuture(resources.templates());
            }
            case "resources/read" -> resources.read(request.text("uri"));
            default ->
                throw JsonRpcException.methodNotFound(
                        "The method " + JsonRpcMessage.shown(method) + " does not exist, or is not supported.");
        };
    }

    private Buffer initialize(JsonRpcMessage request) {
        String requested = request.text("protocolVersion");
        return new JsonObject()
                .put("protocolVersion", VERSIONS.contains(requested) ? requested : VERSIONS.get(0))
                .put(
                        "capabilities",
                        new JsonObject().put("tools", new JsonObject()).put("resources", new JsonObject()))
                .put("serverInfo", serverInfo)
                .put("instructions", instructions)
                .toBuffer();
    }

    /** The tools of jobs are in the list of a caller that can use them. */
    private Buffer toolList(@Nullable ApiCaller caller) {
        Buffer list = Buffer.buffer("{\"tools\":[").appendString(moduleTools);
        jobs.declarations(caller).forEach(tool -> list.appendString(",").appendString(tool));
        return list.appendString("]}");
    }

    /** The lists are not paginated, so no cursor is valid. */
    private static void requireFirstPage(JsonRpcMessage request) {
        if (request.params().getValue("cursor") != null) {
            throw JsonRpcException.invalidParams("The cursor is not valid: the list has one page.");
        }
    }

    private Future<Buffer> call(RoutingContext ctx, @Nullable ApiCaller caller, JsonRpcMessage request) {
        String tool = request.text("name");
        Object given = request.params().getValue("arguments", new JsonObject());
        if (!(given instanceof JsonObject arguments)) {
            throw JsonRpcException.invalidParams("Parameter arguments must be an object.");
        }
        ModuleDescription module = modules.find(tool);
        if (module == null && !jobs.contains(tool)) {
            throw JsonRpcException.invalidParams(
                    "The tool " + JsonRpcMessage.shown(tool) + " does not exist. tools/list lists all tools.");
        }
        return result(
                ctx,
                Future.succeededFuture(arguments)
                        .compose(valid -> module == null
                                ? jobs.call(ctx, caller, tool, valid)
                                : modules.call(ctx, caller, module, valid)));
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
