package dev.plumbline.http.api;

import dev.plumbline.account.Caller;
import dev.plumbline.account.Scope;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.Authentication;
import dev.plumbline.http.Operation;
import io.vertx.ext.web.RoutingContext;

/** {@code DELETE /api/v1/jobs/{token}}. */
final class CancelJobOperation implements Operation {
  private final Authentication authentication;
  private final JobCalls calls;
  private final JobAnswers answers;

  CancelJobOperation(Authentication authentication, JobCalls calls, JobAnswers answers) {
    this.authentication = authentication;
    this.calls = calls;
    this.answers = answers;
  }

  @Override
  public String operationId() {
    return "cancelJob";
  }

  @Override
  public void handle(RoutingContext ctx) {
    authentication.caller(ctx, Scope.JOBS_WRITE, caller -> cancel(ctx, caller));
  }

  private void cancel(RoutingContext ctx, Caller caller) {
    String token = ctx.pathParam("token");
    if (!JobToken.isOne(token)) {
      answers.problem(ctx, JobCalls.noSuchJob());
    } else if (!Negotiation.acceptsJson(ctx)) {
      ctx.fail(406);
    } else {
      answers.when(ctx, calls.cancel(caller.accountId(), token), job -> answer(ctx, job));
    }
  }

  private void answer(RoutingContext ctx, JobMessage.JobHead job) {
    boolean minimal = Preferences.of(ctx.request().headers()).minimal();
    answers.sendStored(
        ctx,
        job,
        JobView.whole(!minimal),
        calls.lines(job),
        () -> {
          JobAnswers.retryAfter(ctx.response(), job);
          if (minimal) {
            ctx.response().putHeader("Preference-Applied", "return=minimal");
          }
        });
  }
}
