package dev.plumbline.http.api.instant;

import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.RawTarget;
import dev.plumbline.http.RequestIdHandler;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.ResponseCacheHandler;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.result.ResultCache;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /api/v1/instant/{module}/{target}}. */
public final class InstantCheckOperation implements ApiOperation {
    private final InstantCheckService calls;
    private final ResultCache cache;
    private final ResponseCacheHandler answers;
    private final ProblemResponder problems;

    public InstantCheckOperation(
            InstantCheckService calls, ResultCache cache, ResponseCacheHandler answers, ProblemResponder problems) {
        this.calls = calls;
        this.cache = cache;
        this.answers = answers;
        this.problems = problems;
    }

    @Override
    public String operationId() {
        return "instantCheck";
    }

    @Override
    public void handle(RoutingContext ctx) {
        if (!ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
            return;
        }
        calls.check(
                        ctx,
                        ctx.pathParam("module"),
                        RawTarget.decoded(ctx.request().path()))
                .onSuccess(outcome -> answer(ctx, outcome))
                .onFailure(ctx::fail);
    }

    private void answer(RoutingContext ctx, InstantOutcome outcome) {
        if (outcome instanceof InstantOutcome.Completed answered) {
            send(ctx, answered);
        } else {
            problems.send(ctx, InstantCheckService.problem(ctx, outcome));
        }
    }

    private void send(RoutingContext ctx, InstantOutcome.Completed answered) {
        HttpServerResponse response = ctx.response();
        answers.writeHeaders(response, answered.result(), RequestIdHandler.of(ctx));
        InstantCheckService.tellQuota(ctx, answered);
        if (!answered.result().cacheable()) {
            response.putHeader("Cache-Control", "no-store");
        }
        cache.putPath(RawTarget.asTyped(ctx), answered.result());
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
