package dev.plumbline.http;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;
import io.vertx.openapi.validation.ValidatorException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends problems, and turns whatever went wrong on the way to an operation into one. */
public final class Problems {
  private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

  private static final long LINGER_MS = 300;

  private final String docs;

  /**
   * @param publicUrl under which people reach the service
   */
  public Problems(String publicUrl) {
    this.docs = publicUrl + "/docs";
  }

  public void send(RoutingContext ctx, Problem problem) {
    if (!ctx.response().ended() && !ctx.response().closed()) {
      HttpServerResponse response = ctx.response();
      writeHead(response, problem, RequestIds.of(ctx));
      Bodies.end(ctx, body(problem, ctx.request().path(), RequestIds.of(ctx)));
    }
  }

  private static void writeHead(HttpServerResponse response, Problem problem, String requestId) {
    response.setStatusCode(problem.status());
    problem.headers().forEach(response::putHeader);
    response
        .putHeader("Content-Type", "application/problem+json")
        .putHeader("Cache-Control", "no-store")
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader(RequestIds.HEADER, requestId);
  }

  private Buffer body(Problem problem, String instance, String requestId) {
    return problem.document(docs, instance, requestId).toBuffer();
  }

  /** The bytes of an answer to a request of which too little came in time. */
  byte[] requestTimeout() {
    return wire(
        "408 Request Timeout",
        Problem.of(
            408,
            "request-timeout",
            "The request did not arrive in time",
            "Send the whole head of a request at once."));
  }

  /** The bytes of an answer on one connection too many. */
  byte[] tooManyConnections() {
    return wire(
        "503 Service Unavailable",
        Problem.unavailable("overloaded", "Too many connections are open; try again shortly.", 1));
  }

  private byte[] wire(String status, Problem problem) {
    String requestId = RequestIds.fresh();
    Buffer body = body(problem, "/", requestId);
    StringBuilder head = new StringBuilder("HTTP/1.1 ").append(status).append("\r\n");
    problem
        .headers()
        .forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    head.append("Content-Type: application/problem+json\r\nCache-Control: no-store\r\n")
        .append("X-Content-Type-Options: nosniff\r\nX-Request-Id: ")
        .append(requestId)
        .append("\r\nConnection: close\r\nContent-Length: ")
        .append(body.length())
        .append("\r\n\r\n");
    return Buffer.buffer(head.toString()).appendBuffer(body).getBytes();
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

  /** Answers bytes that are no HTTP request, closes the connection, and tells the status. */
  int invalidRequest(HttpServerRequest request) {
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
    String requestId = RequestIds.of(request);
    writeHead(request.response(), problem.with("Connection", "close"), requestId);
    request.response().end(body(problem, "/", requestId));
    // what is still coming is read for a moment: closing at once would reset the connection and
    // take the answer with it
    Vertx.currentContext().owner().setTimer(LINGER_MS, linger -> request.connection().close());
    return problem.status();
  }
}
