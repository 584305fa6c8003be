package dev.plumbline.http.server;

import dev.plumbline.concurrent.CurrentSpan;
import dev.plumbline.concurrent.VertxInternals;
import dev.plumbline.config.Config;
import dev.plumbline.http.AccessLog;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.HttpMetrics;
import dev.plumbline.http.HttpServerSettings;
import dev.plumbline.http.RawTarget;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.body.UnreadBodies;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.internal.ConnectionRegistry;
import dev.plumbline.http.server.internal.ParameterValidator;
import dev.plumbline.trace.Span;
import io.micrometer.core.instrument.Timer;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.openapi.router.OpenAPIRoute;
import io.vertx.ext.web.openapi.router.RouterBuilder;
import io.vertx.openapi.contract.OpenAPIContract;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The HTTP server. Mounts the operations on the OpenAPI router. One instance per event loop. */
public final class HttpVerticle extends VerticleBase {
    static final String OPERATION = "plumbline.operation";
    static final String ROUTE = "plumbline.route";
    private static final String STARTED = "plumbline.started";
    private static final String INSTANT_CHECK = "instantCheck";
    private static final String INSTANT_CHECK_ROUTE = "/api/v1/instant/{module}/{target}";

    private final Config.HttpSettings config;
    private final ApiContract contract;
    private final List<ApiOperation> operations;
    private final PageRoutes.Pages pages;
    private final ResponseCacheHandler cache;
    private final ProblemResponder problems;
    private final HttpMetrics metrics;
    private final AccessLog accessLog;
    private final Timer cacheHits;
    private final CorsPolicy cors;
    private final Function<HttpServerRequest, Future<Boolean>> validKeys;
    private @Nullable HttpServer server;
    private boolean traced;

    /** @param validKeys whether a request contains a valid API key, so that its {@code traceparent} is used */
    public HttpVerticle(
            Config.HttpSettings config,
            ApiContract contract,
            List<ApiOperation> operations,
            PageRoutes.Pages pages,
            ResponseCacheHandler cache,
            ProblemResponder problems,
            HttpMetrics metrics,
            AccessLog accessLog,
            Function<HttpServerRequest, Future<Boolean>> validKeys) {
        this.config = config;
        this.contract = contract;
        this.operations = operations;
        this.pages = pages;
        this.cache = cache;
        this.problems = problems;
        this.metrics = metrics;
        this.accessLog = accessLog;
        this.validKeys = validKeys;
        this.cacheHits = metrics.durations(INSTANT_CHECK);
        this.cors = new CorsPolicy(config.corsOrigins());
    }

    @Override
    public Future<?> start() {
        traced = VertxInternals.isTraced(vertx);
        Router router = router();
        UnreadBodies bodies = new UnreadBodies(vertx, config.bodyTimeout(), problems, metrics, accessLog);
        HttpServer created = vertx.createHttpServer(HttpServerSettings.of(config))
                .connectionHandler(ConnectionRegistry::configured)
                .invalidRequestHandler(request -> bodies.reject(request, notDecoded(request)))
                .requestHandler(request -> bodies.filter(request, () -> handle(router, bodies, request)));
        server = created;
        return created.listen();
    }

    /** The problem of a request whose head could not be decoded or is too long. */
    private static Problem notDecoded(HttpServerRequest request) {
        Throwable cause = request.decoderResult().cause();
        if (cause instanceof TooLongHttpLineException) {
            return Problem.of(
                    414,
                    "uri-too-long",
                    "URI too long",
                    "The request line exceeds 32 KiB. Shorten the target or the parameters.");
        }
        return cause instanceof TooLongHttpHeaderException
                ? Problem.of(
                        431,
                        "header-too-large",
                        "Request header too large",
                        "The header fields exceed 16 KiB. Send fewer or shorter header fields.")
                : Problem.badRequest(
                        "The request line or the header is not valid HTTP/1.1. Send exactly one Host header, and"
                                + " not both Content-Length and Transfer-Encoding.");
    }

    /**
     * Records what serves the request, for metrics, the access log and traces.
     *
     * @param route the path template
     */
    static void setRoute(RoutingContext ctx, String operation, String route) {
        ctx.put(OPERATION, operation).put(ROUTE, route);
        setRoute(ctx.request(), route);
    }

    private static void setRoute(HttpServerRequest request, String route) {
        Span span = CurrentSpan.get();
        if (span.recorded()) {
            span.rename(request.method().name() + " " + route).set("http.route", route);
        }
    }

    private static void notTraced() {
        // no span
    }

    private void handle(Router router, UnreadBodies bodies, HttpServerRequest request) {
        long start = System.nanoTime();
        cors.addHeaders(request);
        if (cache.handle(request, traced ? () -> setRoute(request, INSTANT_CHECK_ROUTE) : HttpVerticle::notTraced)) {
            long nanos = System.nanoTime() - start;
            cacheHits.record(nanos, TimeUnit.NANOSECONDS);
            accessLog.log(request, INSTANT_CHECK_ROUTE, nanos);
            bodies.endStream(request);
        } else if (request.path() == null || !request.path().startsWith("/")) {
            // the router would send 404 before any handler runs
            bodies.reject(request, Problem.notFound("The request target is not a path."));
        } else {
            router.handle(request);
        }
    }

    /** Closes the connections that are still open after the drain. */
    @Override
    public Future<?> stop() {
        return server == null ? Future.succeededFuture() : server.shutdown(0, TimeUnit.MILLISECONDS);
    }

    private Router router() {
        OpenAPIContract openApi = contract.openApi();
        RouterBuilder builder = RouterBuilder.create(vertx, openApi);
        ParameterValidator validator = new ParameterValidator(vertx, openApi);
        builder.rootHandler(this::prepare);
        Set<String> missing = contract.operationIds();
        for (ApiOperation operation : operations) {
            if (!missing.remove(operation.operationId())) {
                throw new IllegalStateException(
                        operation.operationId() + " is not in openapi.json or has two handlers");
            }
            OpenAPIRoute route = builder.getRoute(operation.operationId());
            route.setDoValidation(false).setDoSecurity(false);
            route.addHandler(validator.handler(route.getOperation()));
            String path = route.getOperation().getAbsoluteOpenAPIPath();
            route.addHandler(ctx -> {
                setRoute(ctx, operation.operationId(), path);
                operation.handler().handle(ctx);
            });
        }
        if (!missing.isEmpty()) {
            throw new IllegalStateException("operations of openapi.json without handler: " + missing);
        }
        Router router = builder.createRouter();
        PageRoutes routes = new PageRoutes(router);
        pages.mount(routes);
        routes.mountOtherMethods(problems);
        problems.mount(router, contract);
        return router;
    }

    /**
     * The first handler of a request; runs again after a reroute. Requests that vertx-web rejects before any handler,
     * such as those without a Host header, are not counted as active.
     */
    private void prepare(RoutingContext ctx) {
        HttpServerRequest request = ctx.request();
        if (ctx.get(STARTED) == null) {
            if (!begin(ctx)) {
                return;
            }
        } else {
            // a reroute removes the headers of the response
            cors.addHeaders(request);
        }
        Span span = traced ? CurrentSpan.get() : Span.NONE;
        if (span.parentUndecided()) {
            validKeys.apply(request).onComplete((valid, failure) -> {
                span.decideParent(Boolean.TRUE.equals(valid));
                route(ctx);
            });
        } else {
            route(ctx);
        }
    }

    private void route(RoutingContext ctx) {
        HttpServerRequest request = ctx.request();
        boolean head = request.method().equals(HttpMethod.HEAD);
        HttpMethod method = head ? HttpMethod.GET : request.method();
        String encoded = RawTarget.encoded(request.uri());
        if (encoded == null) {
            encoded = RawTarget.encodedSemicolons(request.uri());
        }
        if (encoded != null) {
            ctx.reroute(method, encoded);
        } else if (request.path().startsWith("/api/") && request.path().contains("//")) {
            // the router would ignore the empty segment
            ctx.fail(404);
        } else if (head && !contract.allowed(request.path()).isEmpty()) {
            ctx.reroute(method, request.uri());
        } else {
            ctx.next();
        }
    }

    private boolean begin(RoutingContext ctx) {
        long start = System.nanoTime();
        ctx.put(STARTED, true);
        RawTarget.remember(ctx);
        ResponseBodies.remember(ctx);
        if (UnreadBodies.mayHaveBody(ctx.request())) {
            RequestBodyReader.pause(ctx);
        }
        boolean admitted = metrics.begin() <= config.maxConcurrentRequests();
        ctx.addEndHandler(ended -> {
            ConnectionRegistry.responseEnded(ctx.request());
            long nanos = System.nanoTime() - start;
            metrics.end(ctx.get(OPERATION, "none"), ctx.response().getStatusCode(), nanos);
            accessLog.log(ctx.request(), ctx.get(ROUTE, AccessLog.NO_ROUTE), nanos);
        });
        boolean tooLarge = UnreadBodies.declaredLength(ctx.request()) > UnreadBodies.MAX_BYTES;
        if (!admitted) {
            problems.send(
                    ctx, Problem.unavailable("overloaded", "Too many requests are in progress. Retry shortly.", 1));
        } else if (tooLarge) {
            problems.send(ctx, UnreadBodies.tooLarge());
        }
        return admitted && !tooLarge && !cors.handlePreflight(ctx.request());
    }
}
