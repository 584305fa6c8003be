package dev.plumbline.ops;

import dev.plumbline.config.Config;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.tracing.TracingPolicy;

/** Health and metrics on the management port. */
public final class ManagementVerticle extends VerticleBase {
    private static final String JSON = "application/json";

    private final Config.ManagementSettings config;
    private final HealthCheck health;
    private final PrometheusMeterRegistry registry;

    public ManagementVerticle(Config.ManagementSettings config, HealthCheck health, PrometheusMeterRegistry registry) {
        this.config = config;
        this.health = health;
        this.registry = registry;
    }

    @Override
    public Future<?> start() {
        return vertx.createHttpServer(new HttpServerOptions()
                        .setHost(config.host())
                        .setPort(config.port())
                        .setIdleTimeout(120)
                        .setTracingPolicy(TracingPolicy.IGNORE))
                .requestHandler(this::handle)
                .listen();
    }

    private void handle(HttpServerRequest request) {
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            request.response().putHeader("Allow", "GET, HEAD");
            send(request, 405, JSON, "{\"error\":\"method not allowed: use GET or HEAD\"}");
            return;
        }
        switch (request.path() == null ? "" : request.path()) {
            case "/health/live" -> send(request, 200, JSON, "{\"status\":\"up\"}");
            case "/health/ready" ->
                health.check()
                        .onSuccess(report -> send(
                                request,
                                report.ready() ? 200 : 503,
                                JSON,
                                report.components().encode()));
            case "/metrics" -> {
                MetricsFormat format = MetricsFormat.accepted(request.getHeader("Accept"));
                send(request, 200, format.contentType(), registry.scrape(format.contentType()));
            }
            default ->
                send(
                        request,
                        404,
                        JSON,
                        "{\"error\":\"not found: available paths are /health/live, /health/ready and /metrics\"}");
        }
    }

    private static void send(HttpServerRequest request, int status, String type, String body) {
        HttpServerResponse response = request.response();
        response.setStatusCode(status)
                .putHeader("Content-Type", type)
                .putHeader("Cache-Control", "no-store")
                .putHeader("X-Content-Type-Options", "nosniff");
        if (request.method().equals(HttpMethod.HEAD)) {
            response.end();
        } else {
            response.end(body);
        }
    }
}
