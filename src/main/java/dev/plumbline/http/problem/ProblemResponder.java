package dev.plumbline.http.problem;

import dev.plumbline.account.HashingQueueFullException;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.RawTarget;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.ServiceLinks;
import dev.plumbline.postgres.DatabaseOverloadedException;
import dev.plumbline.postgres.DatabaseUnavailableException;
import dev.plumbline.target.ExceptionMessage;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;
import io.vertx.openapi.validation.ValidatorException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends problem responses, and maps exceptions to problems. */
public final class ProblemResponder {
    private static final Logger LOG = LoggerFactory.getLogger(ProblemResponder.class);

    /** Job tokens, redacted from the log. */
    private static final Pattern JOB = Pattern.compile("job_[0-9A-Za-z]+");

    private static final Pattern INSTANT_WITHOUT_TARGET = Pattern.compile("/api/v1/instant/?([^/]*)/?");

    /** Paths of programs, which are not below {@code /api/}. */
    private static final Set<String> DOCUMENTS =
            Set.of(ServiceLinks.DESCRIPTION, ServiceLinks.CATALOG, ServiceLinks.LLMS_TEXT, ServiceLinks.MCP);

    private static final String PAGE = "plumbline.page";

    private final String docs;
    private final BiConsumer<RoutingContext, Problem> page;

    /**
     * @param publicUrl the public base URL of the service
     * @param page sends a problem as an HTML page, with its status and headers
     */
    public ProblemResponder(String publicUrl, BiConsumer<RoutingContext, Problem> page) {
        this.docs = publicUrl + "/docs";
        this.page = page;
    }

    public void send(RoutingContext ctx, Problem problem) {
        if (ctx.response().ended() || ctx.response().closed()) {
            return;
        }
        if (ctx.response().headWritten()) {
            // signals an incomplete body
            ctx.response().reset();
            return;
        }
        if (prefersPage(ctx)) {
            page.accept(ctx, problem);
        } else {
            HttpServerResponse response = ctx.response();
            writeHead(response, problem, RequestId.of(ctx));
            ResponseBodies.end(ctx, body(problem, ctx.request().path(), RequestId.of(ctx)));
        }
    }

    /** Sends a problem for a request that was not routed. */
    public void send(HttpServerRequest request, Problem problem) {
        String requestId = RequestId.of(request);
        writeHead(request.response(), problem, requestId);
        Buffer body = body(problem, path(request), requestId);
        ResponseBodies.end(request.response(), request.method().equals(HttpMethod.HEAD), body);
    }

    /** The document of a problem that is a part of a response to a request. */
    public JsonObject document(RoutingContext ctx, Problem problem) {
        return problem.document(docs, ctx.request().path(), RequestId.of(ctx));
    }

    /** Marks a request whose path is a page. */
    public static void markAsPage(RoutingContext ctx) {
        ctx.put(PAGE, true);
    }

    /** Whether the client prefers an HTML page to a problem document. Never for operations of the API. */
    private static boolean prefersPage(RoutingContext ctx) {
        String path = ctx.request().path();
        String accept = ctx.request().getHeader("Accept");
        return path != null
                && !path.startsWith("/api/")
                && !DOCUMENTS.contains(path)
                && (ctx.get(PAGE) != null || accept != null && accept.contains("text/html"));
    }

    private static void writeHead(HttpServerResponse response, Problem problem, String requestId) {
        response.setStatusCode(problem.status());
        problem.headers().forEach(response::putHeader);
        response.putHeader("Content-Type", "application/problem+json")
                .putHeader("Cache-Control", "no-store")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader(RequestId.HEADER, requestId);
    }

    private static String path(HttpServerRequest request) {
        String uri = request.uri();
        if (uri == null || !uri.startsWith("/") || isPlaceholder(request)) {
            return "/";
        }
        int query = uri.indexOf('?');
        return query < 0 ? uri : uri.substring(0, query);
    }

    /** Whether the request line was not decoded, so that Netty invented a path. */
    private static boolean isPlaceholder(HttpServerRequest request) {
        return request.uri().equals("/bad-request") && request.decoderResult().isFailure();
    }

    private Buffer body(Problem problem, String instance, String requestId) {
        return problem.document(docs, instance, requestId).toBuffer();
    }

    /** Mounts the error handlers. */
    public void mount(Router router, ApiContract contract) {
        router.errorHandler(
                400,
                ctx -> send(
                        ctx,
                        ctx.failure() instanceof ProblemException invalid
                                ? invalid.problem()
                                : Problem.badRequest(reason(ctx, ctx.failure()))));
        router.errorHandler(404, ctx -> send(ctx, unknownPath(ctx)));
        router.errorHandler(
                405, ctx -> otherMethod(ctx, contract.allowed(ctx.request().path())));
        router.errorHandler(
                406,
                ctx -> send(
                        ctx,
                        Problem.of(
                                406,
                                "not-acceptable",
                                "Not acceptable",
                                "The Accept header excludes application/json, the media type of this resource.")));
        router.errorHandler(500, ctx -> send(ctx, failure(ctx, ctx.failure())));
    }

    private static Problem unknownPath(RoutingContext ctx) {
        Matcher incomplete = INSTANT_WITHOUT_TARGET.matcher(ctx.request().path());
        if (incomplete.matches()) {
            List<Problem.Fault> faults = new ArrayList<>();
            if (incomplete.group(1).isEmpty()) {
                faults.add(Problem.Fault.parameter("module", "is required"));
            }
            faults.add(Problem.Fault.parameter("target", "is required"));
            return Problem.notFound("The path does not contain a target. Use /api/v1/instant/MODULE/TARGET."
                            + " /api/v1/tools lists the modules with an example of a target.")
                    .withFaults(faults);
        }
        return Problem.notFound(
                prefersPage(ctx)
                        ? "This page does not exist. Check that the URL is complete."
                        : "This path does not exist. /api/v1/openapi.json lists all resources.");
    }

    /**
     * Responds to a request whose method is not used with its path: 204 to OPTIONS, otherwise 405. A preflight request
     * that gets here comes from an origin that is not allowed. Its response does not have CORS headers.
     *
     * @param others the methods of the path except OPTIONS, separated by commas
     */
    public void otherMethod(RoutingContext ctx, String others) {
        String allowed = others + ", OPTIONS";
        HttpServerRequest request = ctx.request();
        if (request.method().equals(HttpMethod.OPTIONS)) {
            ctx.response()
                    .setStatusCode(204)
                    .putHeader("Allow", allowed)
                    .putHeader(RequestId.HEADER, RequestId.of(ctx))
                    .end();
            return;
        }
        send(
                ctx,
                Problem.of(
                                405,
                                "method-not-allowed",
                                "Method not allowed",
                                "Method %s is not allowed. Allowed methods: %s."
                                        .formatted(ctx.request().method(), allowed))
                        .with("Allow", allowed));
    }

    /**
     * Returns the problem of a failed request. Logs an internal error. A failure is 503 only if it is a known outage or
     * overload, because clients repeat a 503 without end.
     */
    public static Problem failure(RoutingContext ctx, Throwable cause) {
        if (cause instanceof ProblemException exception) {
            return exception.problem();
        }
        if (cause instanceof DatabaseUnavailableException) {
            return cause instanceof DatabaseOverloadedException
                    ? Problem.unavailable("overloaded", "The database is overloaded. Retry shortly.", 2)
                    : Problem.unavailable("unavailable", "The database is unavailable. Retry shortly.", 2);
        }
        if (cause instanceof HashingQueueFullException) {
            return Problem.unavailable("overloaded", "Too many sign-ins are in progress. Retry shortly.", 2);
        }
        LOG.atError()
                .addKeyValue("request_id", RequestId.of(ctx))
                .addKeyValue("path", JOB.matcher(ctx.request().path()).replaceAll("job_…"))
                .setCause(cause)
                .log("request failed");
        return Problem.of(
                500,
                "internal",
                "Internal error",
                "Internal error. See the log for request_id=" + RequestId.of(ctx) + ".");
    }

    private static String reason(RoutingContext ctx, @Nullable Throwable cause) {
        if (cause instanceof ValidatorException invalid) {
            return ExceptionMessage.of(invalid);
        }
        // more specific than the message of the router
        String fault = RawTarget.encodingFault(ctx.request().uri());
        if (fault != null) {
            return fault;
        }
        if (ctx.request().authority() == null) {
            return "The host of the request (Host or :authority) is missing or not valid.";
        }
        return cause instanceof HttpException http && http.getPayload() != null
                ? http.getPayload()
                : "The request is malformed.";
    }
}
