package dev.plumbline.http.api;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.Message;
import dev.plumbline.check.Options;
import dev.plumbline.http.Bodies;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.HotAnswers;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problem;
import dev.plumbline.http.Problems;
import dev.plumbline.http.RawTarget;
import dev.plumbline.http.RequestIds;
import dev.plumbline.instant.InstantChecks;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.instant.InstantRequest;
import dev.plumbline.instant.ResultCache;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code GET /api/v1/instant/{module}/{target}}. */
public final class InstantCheckOperation implements Operation {
  private static final String VIA = "1.1 plumbline";

  private final InstantChecks checks;
  private final ResultCache cache;
  private final HotAnswers answers;
  private final ClientAddress clients;
  private final Problems problems;
  private final String product;

  /**
   * @param product how our own User-Agent begins
   */
  public InstantCheckOperation(
      InstantChecks checks,
      ResultCache cache,
      HotAnswers answers,
      ClientAddress clients,
      Problems problems,
      String product) {
    this.checks = checks;
    this.cache = cache;
    this.answers = answers;
    this.clients = clients;
    this.problems = problems;
    this.product = product;
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
    HttpServerRequest request = ctx.request();
    Map<String, String> options = new LinkedHashMap<>();
    for (Map.Entry<String, String> parameter : ctx.queryParams()) {
      if (options.put(parameter.getKey(), parameter.getValue()) != null) {
        problems.send(
            ctx, badOptions(List.of(new Options.Fault(parameter.getKey(), "is given twice"))));
        return;
      }
    }
    checks
        .check(
            new InstantRequest(
                ctx.pathParam("module"),
                RawTarget.decoded(request.path()),
                options,
                clients.quotaKey(request),
                RequestIds.of(ctx),
                fromOurselves(request)))
        .onSuccess(outcome -> answer(ctx, outcome))
        .onFailure(ctx::fail);
  }

  /** A check's own request says so twice: an option can change its User-Agent (RFC 9110, 7.6.3). */
  private boolean fromOurselves(HttpServerRequest request) {
    String agent = request.getHeader("User-Agent");
    String via = request.getHeader("Via");
    return (agent != null && agent.startsWith(product)) || (via != null && via.contains(VIA));
  }

  private void answer(RoutingContext ctx, InstantOutcome outcome) {
    if (outcome instanceof InstantOutcome.Answered answered) {
      send(ctx, answered);
    } else if (outcome instanceof InstantOutcome.OverQuota over) {
      quotaHeaders(ctx, over.quota().limit(), 0, over.quota().retryAfterSeconds());
      problems.send(ctx, overQuota(over.quota()));
    } else {
      problems.send(ctx, problem(outcome));
    }
  }

  private void send(RoutingContext ctx, InstantOutcome.Answered answered) {
    HttpServerResponse response = ctx.response();
    answers.writeHeaders(response, answered.answer(), RequestIds.of(ctx));
    Message.Granted quota = answered.quota();
    if (quota != null) {
      quotaHeaders(ctx, quota.limit(), quota.remaining(), quota.resetSeconds());
    }
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

  private static void quotaHeaders(RoutingContext ctx, int limit, int remaining, int seconds) {
    RateLimits.write(
        ctx.response(),
        List.of(new JobMessage.QuotaLeft(InstantChecks.POLICY, limit, remaining, seconds)));
  }

  private static Problem overQuota(Message.Denied quota) {
    return RateLimits.exceeded(
        InstantChecks.POLICY,
        "Your address has had "
            + quota.limit()
            + " fresh checks in the last 60 minutes. Results that are known are still free; the"
            + " next fresh check is possible in "
            + quota.retryAfterSeconds()
            + " seconds.",
        quota.retryAfterSeconds());
  }

  private static Problem badOptions(List<Options.Fault> faults) {
    return Problem.of(
            422,
            "invalid-option",
            "An option is wrong",
            "The tools list says which options the module has and what they may be.")
        .withFaults(
            faults.stream()
                .map(fault -> Problem.Fault.parameter(fault.name(), fault.detail()))
                .toList());
  }

  private static Problem problem(InstantOutcome outcome) {
    if (outcome instanceof InstantOutcome.UnknownModule unknown) {
      return Problem.of(
          404,
          "unknown-module",
          "There is no such module",
          "There is no module '" + unknown.module() + "'; /api/v1/tools lists them all.");
    }
    if (outcome instanceof InstantOutcome.InvalidTarget invalid) {
      return Problem.of(
              422, "invalid-target", "The target is none for this module", invalid.detail())
          .withFaults(List.of(Problem.Fault.parameter("target", invalid.detail())));
    }
    if (outcome instanceof InstantOutcome.BadOptions bad) {
      return badOptions(bad.faults());
    }
    if (outcome instanceof InstantOutcome.NotAllowed refused) {
      return Problem.of(
              422, "target-not-allowed", "The target may not be checked", refused.detail())
          .withFaults(List.of(Problem.Fault.parameter("target", refused.detail())));
    }
    if (outcome instanceof InstantOutcome.Loop) {
      return Problem.of(
          422,
          "request-loop",
          "A check asks for a check",
          "The request carries the User-Agent of a check of this kind of service; to keep such"
              + " services from checking each other for ever, it gets no fresh check.");
    }
    if (outcome instanceof InstantOutcome.NoRoom full) {
      return Problem.unavailable(
          "overloaded",
          "Too many checks are under way, here or at this target; try again shortly. Nothing was"
              + " charged.",
          full.retryAfterSeconds());
    }
    String detail =
        outcome instanceof InstantOutcome.Unavailable away
            ? away.detail()
            : "The service cannot answer just now; try again shortly.";
    return Problem.unavailable("unavailable", detail, 2);
  }
}
