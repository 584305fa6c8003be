package dev.plumbline.http.api;

import dev.plumbline.account.Caller;
import dev.plumbline.account.Scope;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.Authentication;
import dev.plumbline.http.Operation;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** {@code GET /api/v1/jobs}. */
final class ListJobsOperation implements Operation {
  private static final int USUAL = 20;

  private final Authentication authentication;
  private final JobCalls calls;
  private final JobJson json;
  private final JobAnswers answers;

  ListJobsOperation(
      Authentication authentication, JobCalls calls, JobJson json, JobAnswers answers) {
    this.authentication = authentication;
    this.calls = calls;
    this.json = json;
    this.answers = answers;
  }

  @Override
  public String operationId() {
    return "listJobs";
  }

  @Override
  public void handle(RoutingContext ctx) {
    authentication.caller(ctx, Scope.JOBS_READ, caller -> list(ctx, caller));
  }

  private void list(RoutingContext ctx, Caller caller) {
    if (!Negotiation.acceptsJson(ctx)) {
      ctx.fail(406);
      return;
    }
    String cursor = ctx.request().getParam("cursor");
    String before;
    try {
      before = cursor == null ? null : Cursor.job(cursor);
    } catch (IllegalArgumentException none) {
      answers.problem(ctx, Cursor.none());
      return;
    }
    answers.when(
        ctx,
        calls.list(caller.accountId(), JobView.limit(ctx.request(), USUAL), before),
        found -> JobAnswers.send(ctx, page(found)));
  }

  private io.vertx.core.buffer.Buffer page(JobMessage.JobList found) {
    List<JobMessage.JobHead> jobs = found.jobs();
    return json.list(
        jobs,
        found.more() && !jobs.isEmpty()
            ? Cursor.behindJob(jobs.get(jobs.size() - 1).token())
            : null);
  }
}
