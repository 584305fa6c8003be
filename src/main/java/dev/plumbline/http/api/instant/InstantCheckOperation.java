package dev.plumbline.http.api.instant;

import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.RawTarget;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.ResponseCacheHandler;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.result.ResultCache;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /api/v1/instant/{module}/{target}}. */
public final class InstantCheckOperation {
    private final InstantCheckService checks;
    private final ResultCache cache;
    private final ResponseCacheHandler responses;
    private final ProblemResponder problems;

    public InstantCheckOperation(
            InstantCheckService checks, ResultCache cache, ResponseCacheHandler responses, ProblemResponder problems) {
        this.checks = checks;
        this.cache = cache;
        this.responses = responses;
        this.problems = problems;
    }

    public ApiOperation operation() {
        return new ApiOperation("instantCheck", this::handle);
    }

    private void handle(RoutingContext ctx) {
        if (!ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
            return;
        }
        checks.check(
                        ctx,
                        ctx.pathParam("module"),
                        RawTarget.decoded(ctx.request().path()))
                .onSuccess(outcome -> respond(ctx, outcome))
                .onFailure(ctx::fail);
    }

    private void respond(RoutingContext ctx, InstantOutcome outcome) {
        if (outcome instanceof InstantOutcome.Completed answered) {
            send(ctx, answered);
        } else {
            problems.send(ctx, InstantCheckService.problem(ctx, outcome));
        }
    }

    private void send(RoutingContext ctx, InstantOutcome.Completed answered) {
        HttpServerResponse response = ctx.response();
        responses.writeHeaders(response, answered.result(), RequestId.of(ctx));
        InstantCheckService.setRateLimitHeaders(ctx, answered);
        if (!answered.result().cacheable()) {
            response.putHeader("Cache-Control", "no-store");
        }
        cache.putPath(RawTarget.original(ctx), answered.result());
        if (ContentNegotiation.matches(ctx, answered.result().etag())) {
            response.headers().remove("Content-Type");
            response.setStatusCode(304).end();
            return;
        }
        ResponseBodies.end(
                ctx,
                answered.fresh()
                        ? answered.result().freshBody()
                        : answered.result().cachedBody());
    }
}
