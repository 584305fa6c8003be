package dev.plumbline.http.api;

import dev.plumbline.http.Bodies;
import dev.plumbline.http.HotAnswers;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problems;
import dev.plumbline.http.RawTarget;
import dev.plumbline.http.RequestIds;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.instant.ResultCache;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /api/v1/instant/{module}/{target}}. */
public final class InstantCheckOperation implements Operation {
  private final InstantCalls calls;
  private final ResultCache cache;
  private final HotAnswers answers;
  private final Problems problems;

  public InstantCheckOperation(
      InstantCalls calls, ResultCache cache, HotAnswers answers, Problems problems) {
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
    if (!Negotiation.acceptsJson(ctx)) {
      ctx.fail(406);
      return;
    }
    calls
        .check(ctx, ctx.pathParam("module"), RawTarget.decoded(ctx.request().path()))
        .onSuccess(outcome -> answer(ctx, outcome))
        .onFailure(ctx::fail);
  }

  private void answer(RoutingContext ctx, InstantOutcome outcome) {
    if (outcome instanceof InstantOutcome.Answered answered) {
      send(ctx, answered);
    } else {
      problems.send(ctx, InstantCalls.problem(ctx, outcome));
    }
  }

  private void send(RoutingContext ctx, InstantOutcome.Answered answered) {
    HttpServerResponse response = ctx.response();
    answers.writeHeaders(response, answered.answer(), RequestIds.of(ctx));
    InstantCalls.tellQuota(ctx, answered);
    if (!answered.answer().cacheable()) {
      response.putHeader("Cache-Control", "no-store");
    }
    cache.putPath(RawTarget.asTyped(ctx), answered.answer());
    if (Negotiation.matches(ctx, answered.answer().etag())) {
      response.headers().remove("Content-Type");
      response.setStatusCode(304).end();
      return;
    }
    Bodies.end(
        ctx, answered.fresh() ? answered.answer().freshBody() : answered.answer().cachedBody());
  }
}
