package dev.plumbline.http.api.instant;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Plan;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.Gzip;
import dev.plumbline.http.RawTarget;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.ResponseCacheHandler;
import dev.plumbline.instant.InstantChecks;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.result.LimitWait;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.store.MemoryResultCache;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/v1/instant/{module}/{target}}. */
public final class InstantCheckOperation {
    private final InstantCheckService checks;
    private final MemoryResultCache cache;
    private final ResponseCacheHandler responses;
    private final ProblemResponder problems;
    private final @Nullable ApiKeyHandler keys;

    /** @param keys authenticates the API keys that have their own quota; null if API keys are ignored */
    public InstantCheckOperation(
            InstantCheckService checks,
            MemoryResultCache cache,
            ResponseCacheHandler responses,
            ProblemResponder problems,
            @Nullable ApiKeyHandler keys) {
        this.checks = checks;
        this.cache = cache;
        this.responses = responses;
        this.problems = problems;
        this.keys = keys;
    }

    public ApiOperation operation() {
        return new ApiOperation("instantCheck", this::handle);
    }

    private void handle(RoutingContext ctx) {
        if (!ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
            return;
        }
        String module = ctx.pathParam("module");
        String target = RawTarget.decoded(ctx.request().path());
        if (keys == null || !ApiKeyHandler.hasKey(ctx.request())) {
            respond(ctx, checks.check(ctx, module, target));
            return;
        }
        ApiKeyHandler authentication = keys;
        // cached results are public, so they do not wait for the lookup of the key
        checks.findCached(ctx, module, target)
                .onSuccess(outcome -> {
                    if (outcome instanceof InstantOutcome.NotCached) {
                        authentication.identify(ctx, caller -> checkFor(ctx, caller, module, target));
                    } else {
                        respond(ctx, outcome);
                    }
                })
                .onFailure(ctx::fail);
    }

    private void checkFor(RoutingContext ctx, ApiCaller caller, String module, String target) {
        respond(
                ctx,
                caller.plan() == Plan.PRO
                        ? checks.check(ctx, module, target, caller.keyId())
                        : checks.check(ctx, module, target));
    }

    private void respond(RoutingContext ctx, Future<InstantOutcome> check) {
        check.onSuccess(outcome -> respond(ctx, outcome)).onFailure(ctx::fail);
    }

    private void respond(RoutingContext ctx, InstantOutcome outcome) {
        if (outcome instanceof InstantOutcome.Completed completed) {
            send(ctx, completed);
        } else {
            problems.send(ctx, InstantCheckService.problem(ctx, outcome));
        }
    }

    private void send(RoutingContext ctx, InstantOutcome.Completed completed) {
        HttpServerResponse response = ctx.response();
        responses.writeHeaders(response, completed.result(), RequestId.of(ctx));
        InstantCheckService.setRateLimitHeaders(ctx, completed);
        if (!completed.result().cacheable()) {
            response.putHeader("Cache-Control", "no-store");
        } else if (completed.charge() != null && completed.charge().policy().equals(InstantChecks.KEY_POLICY)) {
            ApiKeyHandler.markPrivate(response);
        }
        cache.putPath(RawTarget.original(ctx), completed.result());
        if (ContentNegotiation.matches(ctx, completed.result().etag())) {
            response.headers().remove("Content-Type");
            response.setStatusCode(304).end();
            return;
        }
        RenderedResult result = completed.result();
        LimitWait limitWait = completed.limitWait();
        if (limitWait != null) {
            ResponseBodies.end(ctx, result.freshBody(limitWait.millis()));
        } else {
            ResponseBodies.end(ctx, result.cachedBody(), () -> result.encodedBody(Gzip::encode));
        }
    }
}
