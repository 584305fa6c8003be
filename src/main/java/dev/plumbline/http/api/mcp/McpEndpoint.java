package dev.plumbline.http.api.mcp;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.config.Config;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.Gzip;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.ServiceLinks;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.api.WorkerLimit;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.api.job.JobDocuments;
import dev.plumbline.http.api.policy.PolicyService;
import dev.plumbline.http.api.tool.ToolDocuments;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.auth.OriginValidator;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.http.server.PageRoutes;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /mcp}: the transport Streamable HTTP of the Model Context Protocol 2025-11-25 without sessions. Each
 * request has one message, and each response is JSON. There are no event streams, so GET is a 405.
 *
 * <p>It is not an operation of openapi.json: the messages are JSON-RPC, and {@code tools/list} contains their schemas.
 */
public final class McpEndpoint implements PageRoutes.Pages {
    private static final String VERSION_HEADER = "MCP-Protocol-Version";

    private static final String INSTRUCTIONS =
            """
            Plumbline checks domains, URLs, servers, IP addresses and e-mail addresses from the network of this service. \
            Each tool runs one check of one target. The result has `verdict` (pass, warn, fail; error without a \
            verdict), `fields`, and `findings` with `message` and `action`. `error` is the reason why a check could not \
            be completed; null values were not determined. Start with `overview` for a website and `mail-health` for a \
            mail domain. Results are cached for %d seconds. The number of fresh checks is limited. The text of a failed \
            call contains what to correct, or when to retry. With an API key that can create jobs, `create_job` checks up \
            to 500 targets in the background, `summarize_job` returns their findings, and `list_jobs` returns earlier jobs. \
            The resources describe the findings of each tool, and the policies for the argument `policy`.""";

    /** The limit for requests without an API key, which cannot create jobs. */
    private static final int MAX_BYTES = 64 << 10;

    /** Enough for 500 targets of 500 characters. */
    private static final int MAX_BYTES_WITH_KEY = 256 << 10;

    /** Larger bodies are parsed and compressed on a worker thread. */
    private static final int LARGE_BYTES = 64 << 10;

    private final McpServer server;
    private final OriginValidator origins;
    private final ApiKeyHandler keys;
    private final RequestBodyReader bodies;
    private final ProblemResponder problems;
    private final WorkerLimit workers;
    private final ClientAddress clients;
    private final Duration bodyTimeout;

    /**
     * @param version of the program
     * @param contract openapi.json with the operations of the modules
     * @param workers the threads that parse and compress large bodies
     */
    public McpEndpoint(
            Config config,
            String version,
            ModuleCatalogue modules,
            ApiContract contract,
            InstantCheckService checks,
            PolicyService policies,
            JobDocuments jobs,
            ToolDocuments tools,
            ApiKeyHandler keys,
            RequestBodyReader bodies,
            ProblemResponder problems,
            WorkerLimit workers,
            ClientAddress clients) {
        ContractSchemas schemas = new ContractSchemas(contract.published());
        String publicUrl = config.http().publicUrl();
        this.server = new McpServer(
                version,
                publicUrl,
                INSTRUCTIONS.formatted(config.cache().ttl().toSeconds()),
                new ModuleTools(modules, checks, policies),
                new JobTools(jobs, keys, schemas),
                new McpResources(modules, tools, policies),
                schemas,
                problems);
        this.origins = new OriginValidator(publicUrl);
        this.keys = keys;
        this.bodies = bodies;
        this.problems = problems;
        this.workers = workers;
        this.clients = clients;
        this.bodyTimeout = config.http().bodyTimeout();
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.postMessage(ServiceLinks.MCP, "mcp", this::handle);
    }

    private void handle(RoutingContext ctx) {
        // a malformed header of a proxy is a problem of the request, and not of a call in its body
        clients.of(ctx.request());
        Problem rejection = rejection(ctx);
        if (rejection != null) {
            problems.send(ctx, rejection);
        } else if (!ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
        } else {
            keys.identifyIfPresent(ctx, caller -> read(ctx, caller == null ? MAX_BYTES : MAX_BYTES_WITH_KEY));
        }
    }

    private @Nullable Problem rejection(RoutingContext ctx) {
        // sessions of the pages are not used, so a request does not need an origin
        Problem crossOrigin = origins.rejection(ctx.request(), false);
        if (crossOrigin != null) {
            return crossOrigin;
        }
        String version = ctx.request().getHeader(VERSION_HEADER);
        // clients send the header after the negotiation
        return version == null || McpServer.VERSIONS.contains(version)
                ? null
                : Problem.badRequest("%s %s is not supported. Supported versions: %s."
                        .formatted(
                                VERSION_HEADER, JsonRpcMessage.shown(version), String.join(", ", McpServer.VERSIONS)));
    }

    private void read(RoutingContext ctx, int maxBytes) {
        bodies.readJson(ctx, maxBytes, bodyTimeout, body -> parse(ctx, body)
                // the API key can have been revoked while the body was received
                .onSuccess(message -> RequestFutures.run(
                        ctx, () -> keys.identifyIfPresent(ctx, caller -> respond(ctx, caller, message))))
                .onFailure(failure -> fail(ctx, failure)));
    }

    private Future<JsonRpcMessage> parse(RoutingContext ctx, Buffer body) {
        return body.length() <= LARGE_BYTES
                ? Future.succeededFuture(body).map(JsonRpcMessage::parse)
                : workers.executeBlocking(clients.quotaKey(ctx.request()), () -> JsonRpcMessage.parse(body));
    }

    private void respond(RoutingContext ctx, @Nullable ApiCaller caller, JsonRpcMessage message) {
        Object id = message.id();
        if (id == null) {
            // nothing depends on the notifications of clients
            ResponseBodies.beginPrivate(ctx, 202).end();
            return;
        }
        server.handle(ctx, caller, message).onComplete((result, failure) -> {
            if (failure instanceof JsonRpcException error) {
                send(ctx, 200, failed(id, error));
            } else if (failure != null) {
                ctx.fail(failure);
            } else {
                send(ctx, 200, succeeded(id, result));
            }
        });
    }

    private void fail(RoutingContext ctx, Throwable failure) {
        if (failure instanceof JsonRpcException error) {
            send(ctx, 400, failed(error.id(), error));
        } else {
            ctx.fail(failure);
        }
    }

    private static Buffer succeeded(Object id, Buffer result) {
        return Buffer.buffer(result.length() + 64)
                .appendString("{\"jsonrpc\":\"2.0\",\"id\":")
                .appendString(Json.encode(id))
                .appendString(",\"result\":")
                .appendBuffer(result)
                .appendString("}");
    }

    private static Buffer failed(@Nullable Object id, JsonRpcException error) {
        JsonObject response = new JsonObject().put("jsonrpc", "2.0");
        if (id != null) {
            response.put("id", id);
        }
        return response.put("error", error.error()).toBuffer();
    }

    private void send(RoutingContext ctx, int status, Buffer body) {
        if (ctx.response().closed()) {
            return;
        }
        if (body.length() <= LARGE_BYTES || !Gzip.accepted(ctx.request())) {
            begin(ctx, status);
            ResponseBodies.end(ctx, body);
            return;
        }
        RequestFutures.handle(
                ctx, workers.executeBlocking(clients.quotaKey(ctx.request()), () -> Gzip.encode(body)), encoded -> {
                    begin(ctx, status);
                    ResponseBodies.end(ctx, body, () -> encoded);
                });
    }

    private static void begin(RoutingContext ctx, int status) {
        ResponseBodies.beginPrivate(ctx, status).putHeader("Content-Type", "application/json");
    }
}
