package dev.plumbline.http;

import dev.plumbline.config.Config;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.openapi.router.OpenAPIRoute;
import io.vertx.ext.web.openapi.router.RouterBuilder;
import io.vertx.openapi.contract.OpenAPIContract;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** The HTTP server: mounts the operations on the contract. As many as there are event loops. */
public final class HttpVerticle extends VerticleBase {
  private static final String OPERATION = "plumbline.operation";
  private static final String SEEN = "plumbline.seen";
  private static final int REQUEST_LINE_BYTES = 32 * 1024;
  private static final int HEADER_BYTES = 16 * 1024;

  private final Config.Http config;
  private final Contract contract;
  private final List<Operation> operations;
  private final HotAnswers hot;
  private final Problems problems;
  private final HttpMetrics metrics;
  private HttpServer server;

  public HttpVerticle(
      Config.Http config,
      Contract contract,
      List<Operation> operations,
      HotAnswers hot,
      Problems problems,
      HttpMetrics metrics) {
    this.config = config;
    this.contract = contract;
    this.operations = operations;
    this.hot = hot;
    this.problems = problems;
    this.metrics = metrics;
  }

  @Override
  public Future<?> start() {
    Router router = router();
    server =
        vertx
            .createHttpServer(options())
            .connectionHandler(Http1Messages::guard)
            .invalidRequestHandler(
                request -> metrics.count("none", problems.invalidRequest(request)))
            .requestHandler(
                request -> {
                  if (!hot.answer(request)) {
                    router.handle(request);
                  }
                });
    return server.listen();
  }

  /** Closes what {@link Drain} has left. */
  @Override
  public Future<?> stop() {
    return server == null ? Future.succeededFuture() : server.shutdown(0, TimeUnit.MILLISECONDS);
  }

  /** The port that is listened on. */
  public int port() {
    return server.actualPort();
  }

  private HttpServerOptions options() {
    HttpServerOptions options =
        new HttpServerOptions()
            .setHost(config.host())
            .setPort(config.port())
            .setMaxInitialLineLength(REQUEST_LINE_BYTES + 64)
            .setMaxHeaderSize(HEADER_BYTES)
            .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
            .setIdleTimeout((int) config.idleTimeout().toMillis())
            .setAcceptBacklog(4096)
            .setInitialSettings(
                new Http2Settings()
                    .setMaxConcurrentStreams(100)
                    .setMaxHeaderListSize(REQUEST_LINE_BYTES + HEADER_BYTES))
            // there are no web sockets here, so no connection needs their handlers
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false)
            .setTcpNoDelay(true);
    if (config.tlsCertificate() != null && config.tlsKey() != null) {
      options
          .setSsl(true)
          .setUseAlpn(true)
          .setKeyCertOptions(
              new PemKeyCertOptions()
                  .setCertPath(config.tlsCertificate().toString())
                  .setKeyPath(config.tlsKey().toString()));
    }
    return options;
  }

  private Router router() {
    OpenAPIContract openApi = contract.openApi();
    RouterBuilder builder = RouterBuilder.create(vertx, openApi);
    ParameterValidation validation = new ParameterValidation(vertx, openApi);
    builder.rootHandler(this::prepare);
    Set<String> handled = new TreeSet<>();
    for (Operation operation : operations) {
      if (!handled.add(operation.operationId())
          || builder.getRoute(operation.operationId()) == null) {
        throw new IllegalStateException(
            operation.operationId() + " is in openapi.json not once, or handled twice");
      }
      OpenAPIRoute route = builder.getRoute(operation.operationId());
      route.setDoValidation(false).setDoSecurity(false);
      if (route.getOperation().getRequestBody() != null) {
        route.addHandler(
            ctx -> {
              RequestBodies.hold(ctx);
              ctx.next();
            });
      }
      route.addHandler(validation.of(route.getOperation()));
      route.addHandler(
          ctx -> {
            ctx.put(OPERATION, operation.operationId());
            operation.handle(ctx);
          });
    }
    if (!handled.equals(contract.operationIds())) {
      Set<String> missing = contract.operationIds();
      missing.removeAll(handled);
      throw new IllegalStateException("nothing handles " + missing + " of openapi.json");
    }
    Router router = builder.createRouter();
    problems.mount(router, contract);
    return router;
  }

  /**
   * The first that sees a request, and once more after it was routed anew. What vertx-web refuses
   * before any handler, a request without a Host for one, is never counted as under way.
   */
  private void prepare(RoutingContext ctx) {
    if (ctx.get(SEEN) == null && !begin(ctx)) {
      return;
    }
    HttpServerRequest request = ctx.request();
    boolean head = request.method().equals(HttpMethod.HEAD);
    HttpMethod method = head ? HttpMethod.GET : request.method();
    String encoded = RawTarget.encoded(request.uri());
    if (encoded != null) {
      ctx.reroute(method, encoded);
    } else if (head && !contract.allowed(request.path()).isEmpty()) {
      ctx.reroute(method, request.uri());
    } else {
      ctx.next();
    }
  }

  private boolean begin(RoutingContext ctx) {
    ctx.put(SEEN, true);
    RawTarget.remember(ctx);
    Bodies.remember(ctx);
    boolean room = metrics.begin() <= config.maxConcurrent();
    ctx.addEndHandler(
        ended -> metrics.end(ctx.get(OPERATION, "none"), ctx.response().getStatusCode()));
    if (!room) {
      problems.send(
          ctx,
          Problem.unavailable(
              "overloaded", "Too many requests are under way; try again shortly.", 1));
    }
    return room;
  }
}
