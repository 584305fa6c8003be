package dev.plumbline.http;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;
import io.vertx.openapi.validation.ValidatorException;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends problems, and turns whatever went wrong on the way to an operation into one. */
public final class Problems {
  private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

  private static final long LINGER_MS = 300;

  private final Vertx vertx;
  private final String docs;

  /**
   * @param publicUrl under which people reach the service
   */
  public Problems(Vertx vertx, String publicUrl) {
    this.vertx = vertx;
    this.docs = publicUrl + "/docs";
  }

  public void send(RoutingContext ctx, Problem problem) {
    if (!ctx.response().ended() && !ctx.response().closed()) {
      send(ctx.request(), problem, ctx.request().path(), RequestIds.of(ctx));
    }
  }

  /** Sends a problem before anything was routed. */
  void send(HttpServerRequest request, Problem problem) {
    send(request, problem, request.path(), RequestIds.of(request));
  }

  private void send(HttpServerRequest request, Problem problem, String instance, String requestId) {
    HttpServerResponse response = request.response();
    response.setStatusCode(problem.status());
    for (Map.Entry<String, String> header : problem.headers().entrySet()) {
      response.putHeader(header.getKey(), header.getValue());
    }
    response
        .putHeader("Content-Type", "application/problem+json")
        .putHeader("Cache-Control", "no-store")
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader(RequestIds.HEADER, requestId);
    Bodies.end(request, problem.document(docs, instance, requestId).toBuffer());
  }

  /** Everything that no operation answers. */
  void mount(Router router, Contract contract) {
    router.errorHandler(
        400,
        ctx -> send(ctx, Problem.badRequest(reason(ctx.failure(), "The request is malformed."))));
    router.errorHandler(
        404,
        ctx ->
            send(
                ctx,
                Problem.notFound(
                    "No resource has this path; /api/v1/openapi.json lists them all.")));
    router.errorHandler(405, ctx -> methodNotAllowed(ctx, contract));
    router.errorHandler(
        406,
        ctx ->
            send(
                ctx,
                Problem.of(
                    406,
                    "not-acceptable",
                    "No representation fits",
                    "This resource is application/json; the Accept header excludes it.")));
    router.errorHandler(
        413,
        ctx ->
            send(ctx, Problem.of(413, "content-too-large", "The body is too large", "Send less.")));
    router.errorHandler(
        415,
        ctx ->
            send(
                ctx,
                Problem.of(
                    415,
                    "unsupported-media-type",
                    "The body has the wrong type",
                    "Send application/json.")));
    router.errorHandler(500, this::unexpected);
  }

  private void methodNotAllowed(RoutingContext ctx, Contract contract) {
    send(
        ctx,
        Problem.of(
                405,
                "method-not-allowed",
                "The method is not allowed",
                ctx.request().method() + " is not possible here; see the Allow header.")
            .with("Allow", contract.allowed(ctx.request().path())));
  }

  private void unexpected(RoutingContext ctx) {
    Throwable cause = ctx.failure();
    if (cause instanceof ValidatorException
        || cause instanceof HttpException
        || cause instanceof IllegalArgumentException) {
      send(ctx, Problem.badRequest(reason(cause, "The request is malformed.")));
      return;
    }
    LOG.atError()
        .addKeyValue("request_id", RequestIds.of(ctx))
        .addKeyValue("path", ctx.request().path())
        .setCause(cause)
        .log("a request failed");
    send(
        ctx,
        Problem.unavailable(
            "internal", "Something is wrong with the service; its log has this request id.", 5));
  }

  private static String reason(Throwable cause, String otherwise) {
    if (cause instanceof HttpException http && http.getPayload() != null) {
      return http.getPayload();
    }
    if (cause instanceof ValidatorException) {
      return cause.getMessage();
    }
    return otherwise;
  }

  /** Answers bytes that are no HTTP request, and closes the connection. */
  void invalidRequest(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    Problem problem;
    if (cause instanceof TooLongHttpLineException) {
      problem =
          Problem.of(
              414,
              "uri-too-long",
              "The request line is too long",
              "It may have 32 KiB; a target may have 2,048 bytes.");
    } else if (cause instanceof TooLongHttpHeaderException) {
      problem =
          Problem.of(
              431, "header-too-large", "The header is too large", "All fields may have 16 KiB.");
    } else {
      problem = Problem.badRequest("What was sent is no HTTP request.");
    }
    send(request, problem.with("Connection", "close"), "/", RequestIds.of(request));
    // what is still coming is read for a moment: closing at once would reset the connection and
    // take the answer with it
    vertx.setTimer(LINGER_MS, linger -> request.connection().close());
  }
}
