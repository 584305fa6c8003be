package dev.plumbline.http.api.instant;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.Gzip;
import dev.plumbline.http.RawTarget;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.api.policy.PolicyService;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.ResponseCacheHandler;
import dev.plumbline.instant.InstantChecks;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.store.MemoryResultCache;
import dev.plumbline.sheet.ModuleDescription;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
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
    private final ModuleCatalogue modules;
    private final PolicyService policies;

    /** @param keys authenticates the API keys that have their own quota; null if API keys are ignored */
    public InstantCheckOperation(
            InstantCheckService checks,
            MemoryResultCache cache,
            ResponseCacheHandler responses,
            ProblemResponder problems,
            @Nullable ApiKeyHandler keys,
            ModuleCatalogue modules,
            PolicyService policies) {
        this.checks = checks;
        this.cache = cache;
        this.responses = responses;
        this.problems = problems;
        this.keys = keys;
        this.modules = modules;
        this.policies = policies;
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
        PolicyParameters evaluated = PolicyParameters.of(ctx.queryParams());
        ModuleDescription description = modules.description(module);
        if (evaluated.isEmpty() || description == null) {
            check(ctx, module, null);
            return;
        }
        // before the check: an invalid expectation does not use the quota
        policies.evaluation(ctx, description, evaluated)
                .onSuccess(evaluation -> check(ctx, module, evaluation))
                .onFailure(ctx::fail);
    }

    private void check(RoutingContext ctx, String module, @Nullable ResultEvaluation evaluation) {
        String target = RawTarget.decoded(ctx.request().path());
        if (keys == null || !ApiKeyHandler.hasKey(ctx.request())) {
            respond(ctx, checks.check(ctx, module, target), evaluation);
            return;
        }
        ApiKeyHandler authentication = keys;
        // cached results are public, so they do not wait for the lookup of the key
        checks.findCached(ctx, module, target)
                .onSuccess(outcome -> {
                    if (outcome instanceof InstantOutcome.NotCached) {
                        authentication.identify(
                                ctx, caller -> respond(ctx, checks.check(ctx, caller, module, target), evaluation));
                    } else {
                        respond(ctx, outcome, evaluation);
                    }
                })
                .onFailure(ctx::fail);
    }

    private void respond(RoutingContext ctx, Future<InstantOutcome> check, @Nullable ResultEvaluation evaluation) {
        check.onSuccess(outcome -> respond(ctx, outcome, evaluation)).onFailure(ctx::fail);
    }

    private void respond(RoutingContext ctx, InstantOutcome outcome, @Nullable ResultEvaluation evaluation) {
        if (!(outcome instanceof InstantOutcome.Completed completed)) {
            problems.send(ctx, InstantCheckService.problem(ctx, outcome));
        } else if (evaluation == null) {
            send(ctx, completed);
        } else {
            send(ctx, completed, evaluation);
        }
    }

    /** Sends an evaluated result. It is not cached by its path, because each evaluation is another response. */
    private void send(RoutingContext ctx, InstantOutcome.Completed completed, ResultEvaluation evaluation) {
        RenderedResult result = completed.result();
        String etag = result.etag().replaceFirst("\"$", ResultEvaluation.suffix(evaluation) + '"');
        if (ContentNegotiation.matches(ctx, etag)) {
            setHeaders(ctx, completed, etag);
            sendNotModified(ctx);
            return;
        }
        evaluation
                .apply(InstantCheckService.body(completed).getBytes())
                .onSuccess(evaluated -> {
                    setHeaders(ctx, completed, etag);
                    ResponseBodies.end(ctx, Buffer.buffer(evaluated));
                })
                .onFailure(ctx::fail);
    }

    private void send(RoutingContext ctx, InstantOutcome.Completed completed) {
        RenderedResult result = completed.result();
        setHeaders(ctx, completed, result.etag());
        cache.putPath(RawTarget.original(ctx), result);
        if (ContentNegotiation.matches(ctx, result.etag())) {
            sendNotModified(ctx);
        } else if (completed.fresh()) {
            ResponseBodies.end(ctx, InstantCheckService.body(completed));
        } else {
            ResponseBodies.end(ctx, result.cachedBody(), () -> result.encodedBody(Gzip::encode));
        }
    }

    private void setHeaders(RoutingContext ctx, InstantOutcome.Completed completed, String etag) {
        HttpServerResponse response = ctx.response();
        responses.writeHeaders(response, completed.result(), RequestId.of(ctx));
        response.putHeader("ETag", etag);
        InstantCheckService.setRateLimitHeaders(ctx, completed);
        if (!completed.result().cacheable()) {
            response.putHeader("Cache-Control", "no-store");
        } else if (completed.charge() != null && completed.charge().policy().equals(InstantChecks.KEY_POLICY)) {
            ApiKeyHandler.markPrivate(response);
        }
    }

    private static void sendNotModified(RoutingContext ctx) {
        ctx.response().headers().remove("Content-Type");
        ctx.response().setStatusCode(304).end();
    }
}
