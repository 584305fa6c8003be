package dev.plumbline.http.api;

import dev.plumbline.account.Caller;
import dev.plumbline.account.Scope;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.Authentication;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problem;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/v1/jobs/{token}}, and the files of results below it. */
final class ReadJobOperation implements Operation {
  private final String operationId;
  private final @Nullable JobFormat file;
  private final Authentication authentication;
  private final JobCalls calls;
  private final JobWaits waits;
  private final JobAnswers answers;

  /**
   * @param file what the file is; null for the job itself
   */
  ReadJobOperation(
      String operationId,
      @Nullable JobFormat file,
      Authentication authentication,
      JobCalls calls,
      JobWaits waits,
      JobAnswers answers) {
    this.operationId = operationId;
    this.file = file;
    this.authentication = authentication;
    this.calls = calls;
    this.waits = waits;
    this.answers = answers;
  }

  @Override
  public String operationId() {
    return operationId;
  }

  @Override
  public void handle(RoutingContext ctx) {
    authentication.caller(ctx, Scope.JOBS_READ, caller -> read(ctx, caller));
  }

  private void read(RoutingContext ctx, Caller caller) {
    String token = ctx.pathParam("token");
    if (!JobToken.isOne(token)) {
      answers.problem(ctx, JobCalls.noSuchJob());
      return;
    }
    JobFormat format = file == null ? JobFormat.wanted(ctx) : JobFormat.accepted(ctx, file);
    if (format == null) {
      answers.problem(ctx, notAcceptable());
      return;
    }
    JobView view;
    try {
      view = file == null ? JobView.ofJob(ctx, format) : JobView.ofFile(ctx, format);
    } catch (IllegalArgumentException none) {
      answers.problem(ctx, Cursor.none());
      return;
    }
    Preferences preferences = Preferences.of(ctx.request().headers());
    int seconds = waits.seconds(preferences.waitSeconds());
    String condition = ctx.request().getHeader("If-None-Match");
    long known = condition == null ? JobWaits.UNTIL_FINAL : view.versionOf(condition);
    boolean differs = condition != null && known < 0;
    boolean wait = seconds > 0 && !differs && waits.enter(caller);
    Future<JobMessage.JobHead> job =
        wait
            ? waits.await(ctx, caller, token, known, seconds)
            : calls.read(caller.accountId(), token);
    int waited = wait || (seconds > 0 && differs) ? seconds : 0;
    answers.when(
        ctx,
        job,
        found -> {
          if (wait) {
            // a key may have been revoked while the request was held
            authentication.caller(ctx, Scope.JOBS_READ, still -> answer(ctx, found, view, waited));
          } else {
            answer(ctx, found, view, waited);
          }
        });
  }

  private void answer(RoutingContext ctx, JobMessage.JobHead job, JobView view, int waitedSeconds) {
    if (ctx.response().closed()) {
      return;
    }
    if (view.from() >= job.total()) {
      answers.problem(ctx, Cursor.none());
      return;
    }
    String etag = view.etag(job);
    Runnable special =
        () -> {
          ctx.response().putHeader("ETag", etag);
          JobAnswers.retryAfter(ctx.response(), job);
          if (waitedSeconds > 0) {
            ctx.response().putHeader("Preference-Applied", "wait=" + waitedSeconds);
          }
        };
    if (Negotiation.matches(ctx, etag)) {
      JobAnswers.notModified(ctx, special);
    } else {
      answers.sendStored(ctx, job, view, calls.lines(job), special);
    }
  }

  private Problem notAcceptable() {
    return Problem.of(
        406,
        "not-acceptable",
        "No representation fits",
        file == null
            ? "A job can be had as application/json, text/csv or application/x-ndjson, by the Accept"
                + " header or by ?format=json, csv or ndjson."
            : "This file is " + file.contentType() + "; the Accept header excludes it.");
  }
}
