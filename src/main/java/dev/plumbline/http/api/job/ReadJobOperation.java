package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Scope;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.api.PreferHeader;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.problem.Problem;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/v1/jobs/{token}}, and the files of results below it. */
final class ReadJobOperation implements ApiOperation {
    private final String operationId;
    private final @Nullable ResultFormat file;
    private final ApiKeyHandler authentication;
    private final JobClient calls;
    private final JobLongPolls waits;
    private final JobResponses answers;

    /**
     * @param file what the file is; null for the job itself
     */
    ReadJobOperation(
            String operationId,
            @Nullable ResultFormat file,
            ApiKeyHandler authentication,
            JobClient calls,
            JobLongPolls waits,
            JobResponses answers) {
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

    private void read(RoutingContext ctx, ApiCaller caller) {
        String token = ctx.pathParam("token");
        if (!JobToken.isOne(token)) {
            answers.problem(ctx, JobClient.noSuchJob());
            return;
        }
        ResultFormat format = file == null ? ResultFormat.wanted(ctx) : ResultFormat.accepted(ctx, file);
        if (format == null) {
            answers.problem(ctx, notAcceptable());
            return;
        }
        JobViewParameters view;
        try {
            view = file == null ? JobViewParameters.ofJob(ctx, format) : JobViewParameters.ofFile(ctx, format);
        } catch (IllegalArgumentException none) {
            answers.problem(ctx, PageCursor.none());
            return;
        }
        PreferHeader preferences = PreferHeader.of(ctx.request().headers());
        int seconds = waits.seconds(preferences.waitSeconds());
        String condition = ctx.request().getHeader("If-None-Match");
        long known = condition == null ? JobLongPolls.UNTIL_FINAL : view.versionOf(condition);
        boolean differs = condition != null && known < 0;
        boolean wait = seconds > 0 && !differs && waits.enter(caller);
        Future<JobMessage.JobSnapshot> job =
                wait ? waits.await(ctx, caller, token, known, seconds) : calls.read(caller.accountId(), token);
        int waited = wait || (seconds > 0 && differs) ? seconds : 0;
        answers.when(ctx, job, found -> {
            if (wait) {
                // a key may have been revoked while the request was held
                authentication.caller(ctx, Scope.JOBS_READ, still -> answer(ctx, found, view, waited));
            } else {
                answer(ctx, found, view, waited);
            }
        });
    }

    private void answer(RoutingContext ctx, JobMessage.JobSnapshot job, JobViewParameters view, int waitedSeconds) {
        if (ctx.response().closed()) {
            return;
        }
        if (view.from() >= job.total()) {
            answers.problem(ctx, PageCursor.none());
            return;
        }
        String etag = view.etag(job);
        Runnable special = () -> {
            ctx.response().putHeader("ETag", etag);
            JobResponses.retryAfter(ctx.response(), job);
            if (waitedSeconds > 0) {
                ctx.response().putHeader("Preference-Applied", "wait=" + waitedSeconds);
            }
        };
        if (ContentNegotiation.matches(ctx, etag)) {
            JobResponses.notModified(ctx, special);
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
