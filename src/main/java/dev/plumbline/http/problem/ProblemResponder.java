package dev.plumbline.http.problem;

import dev.plumbline.account.HashingQueueFullException;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.HttpServerSettings;
import dev.plumbline.http.RawTarget;
import dev.plumbline.http.RequestIdHandler;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.problem.ProblemPage.Sheet;
import dev.plumbline.http.server.Http1MessageHandler;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.store.DatabaseUnavailableException;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;
import io.vertx.openapi.validation.ValidatorException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends problem responses, and maps exceptions to problems. */
public final class ProblemResponder {
    private static final Logger LOG = LoggerFactory.getLogger(ProblemResponder.class);

    /** Job tokens, redacted from the log. */
    private static final Pattern JOB = Pattern.compile("job_[0-9A-Za-z]+");

    private final String docs;
    private final @Nullable ProblemPage page;

    /**
     * Sends problem documents only.
     *
     * @param publicUrl the public base URL of the service
     */
    public ProblemResponder(String publicUrl) {
        this(publicUrl, null);
    }

    /**
     * @param publicUrl the public base URL of the service
     * @param page renders problems as HTML; null to send problem documents only
     */
    public ProblemResponder(String publicUrl, @Nullable ProblemPage page) {
        this.docs = publicUrl + "/docs";
        this.page = page;
    }

    public void send(RoutingContext ctx, Problem problem) {
        if (ctx.response().ended() || ctx.response().closed()) {
            return;
        }
        if (page != null && PageRoutes.wantsPage(ctx)) {
            page.show(ctx, problem);
        } else {
            HttpServerResponse response = ctx.response();
            writeHead(response, problem, RequestIdHandler.of(ctx));
            ResponseBodies.end(ctx, body(problem, ctx.request().path(), RequestIdHandler.of(ctx)));
        }
    }

    /** Sends a problem for a request that was not routed. */
    public void send(HttpServerRequest request, Problem problem) {
        String requestId = RequestIdHandler.of(request);
        writeHead(request.response(), problem, requestId);
        String instance = instance(request.uri());
        Sheet sheet = sheet(problem, request.uri(), request.getHeader("Accept"), requestId);
        if (sheet != null) {
            sheet.headers().forEach((name, value) -> request.response().putHeader(name, value));
        }
        Buffer body = sheet == null ? body(problem, instance, requestId) : sheet.body();
        if (request.method().equals(HttpMethod.HEAD)) {
            request.response()
                    .putHeader("Content-Length", Integer.toString(body.length()))
                    .end();
        } else {
            request.response().end(body);
        }
    }

    private static void writeHead(HttpServerResponse response, Problem problem, String requestId) {
        response.setStatusCode(problem.status());
        problem.headers().forEach(response::putHeader);
        response.putHeader("Content-Type", "application/problem+json")
                .putHeader("Cache-Control", "no-store")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader(RequestIdHandler.HEADER, requestId);
    }

    /**
     * Returns the path of a request that was not routed; the root path if it has none or is too long.
     */
    private static String instance(@Nullable String uri) {
        return uri == null || uri.length() > HttpServerSettings.REQUEST_LINE_BYTES ? "/" : path(uri);
    }

    private static String path(@Nullable String uri) {
        if (uri == null || !uri.startsWith("/")) {
            return "/";
        }
        int query = uri.indexOf('?');
        return query < 0 ? uri : uri.substring(0, query);
    }

    /**
     * Returns the HTML page for a request that was not routed; null if the client prefers a problem
     * document.
     */
    private @Nullable Sheet sheet(Problem problem, @Nullable String uri, @Nullable String accept, String requestId) {
        return page != null && PageRoutes.wantsPage(path(uri), accept) ? page.sheet(problem, requestId) : null;
    }

    private Buffer body(Problem problem, String instance, String requestId) {
        return problem.document(docs, instance, requestId).toBuffer();
    }

    public static Problem late(String detail) {
        return Problem.of(408, "request-timeout", "Request timeout", detail);
    }

    /** Returns the raw response for a connection over the limit. */
    public byte[] tooManyConnections() {
        return wire(
                "503 Service Unavailable",
                Problem.unavailable("overloaded", "Too many connections are open. Retry shortly.", 1));
    }

    private byte[] wire(String status, Problem problem) {
        String requestId = RequestIdHandler.fresh();
        Buffer body = body(problem, "/", requestId);
        StringBuilder head = new StringBuilder("HTTP/1.1 ").append(status).append("\r\n");
        problem.headers()
                .forEach((name, value) ->
                        head.append(name).append(": ").append(value).append("\r\n"));
        head.append("Content-Type: application/problem+json\r\nCache-Control: no-store\r\n")
                .append("X-Content-Type-Options: nosniff\r\nX-Request-Id: ")
                .append(requestId)
                .append("\r\nConnection: close\r\nContent-Length: ")
                .append(body.length())
                .append("\r\n\r\n");
        return Buffer.buffer(head.toString()).appendBuffer(body).getBytes();
    }

    /** Mounts the error handlers. */
    public void mount(Router router, ApiContract contract) {
        router.errorHandler(400, ctx -> send(ctx, Problem.badRequest(reason(ctx, ctx.failure()))));
        router.errorHandler(
                404,
                ctx -> send(
                        ctx,
                        Problem.notFound(
                                PageRoutes.wantsPage(ctx)
                                        ? "No page has this address. Check that it is complete."
                                        : "No resource has this path. /api/v1/openapi.json lists all resources.")));
        router.errorHandler(
                405, ctx -> methodNotAllowed(ctx, contract.allowed(ctx.request().path())));
        router.errorHandler(
                406,
                ctx -> send(
                        ctx,
                        Problem.of(
                                406,
                                "not-acceptable",
                                "Not acceptable",
                                "The Accept header excludes application/json, the media type of this resource.")));
        router.errorHandler(500, this::unexpected);
    }

    public void methodNotAllowed(RoutingContext ctx, String allowed) {
        send(
                ctx,
                Problem.of(
                                405,
                                "method-not-allowed",
                                "Method not allowed",
                                "Method "
                                        + ctx.request().method()
                                        + " is not allowed. Allowed methods: "
                                        + allowed
                                        + ".")
                        .with("Allow", allowed));
    }

    private void unexpected(RoutingContext ctx) {
        Throwable cause = ctx.failure();
        if (cause instanceof ValidatorException
                || cause instanceof HttpException
                || cause instanceof IllegalArgumentException) {
            send(ctx, Problem.badRequest(reason(ctx, cause)));
            return;
        }
        if (cause instanceof DatabaseUnavailableException) {
            send(ctx, Problem.unavailable("unavailable", "The database is unavailable. Retry shortly.", 2));
            return;
        }
        if (cause instanceof HashingQueueFullException) {
            send(ctx, Problem.unavailable("overloaded", "Too many sign-ins are in progress. Retry shortly.", 2));
            return;
        }
        LOG.atError()
                .addKeyValue("request_id", RequestIdHandler.of(ctx))
                .addKeyValue("path", JOB.matcher(ctx.request().path()).replaceAll("job_…"))
                .setCause(cause)
                .log("request failed");
        send(
                ctx,
                Problem.unavailable(
                        "internal", "Internal error. See the log for request_id=" + RequestIdHandler.of(ctx) + ".", 5));
    }

    private static String reason(RoutingContext ctx, Throwable cause) {
        if (cause instanceof ValidatorException) {
            return cause.getMessage();
        }
        // more specific than the message of the router
        String fault = RawTarget.encodingFault(ctx.request().uri());
        if (fault != null) {
            return fault;
        }
        boolean hasMessage = cause instanceof HttpException http && http.getPayload() != null;
        return hasMessage ? ((HttpException) cause).getPayload() : "The request is malformed.";
    }

    /**
     * Returns the response to a request that could not be parsed. The connection is closed after it.
     */
    public FullHttpResponse refusal(Problem problem, @Nullable HttpRequest request) {
        String given = request == null ? null : request.headers().get(RequestIdHandler.HEADER);
        String requestId = RequestIdHandler.of(given);
        String uri = request == null ? null : request.uri();
        String instance = instance(uri);
        String accept = request == null ? null : request.headers().get(HttpHeaderNames.ACCEPT);
        Sheet sheet = sheet(problem, uri, accept, requestId);
        byte[] body = (sheet == null ? body(problem, instance, requestId) : sheet.body()).getBytes();
        boolean head = Http1MessageHandler.isHead(request);
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(problem.status()),
                head ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body));
        problem.headers().forEach(response.headers()::set);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "application/problem+json")
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .set("X-Content-Type-Options", "nosniff")
                .set(RequestIdHandler.HEADER, requestId);
        if (sheet != null) {
            sheet.headers().forEach((name, value) -> response.headers().set(name, value));
        }
        response.headers()
                .set(HttpHeaderNames.CONTENT_LENGTH, body.length)
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        return response;
    }
}
