package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Scope;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.api.PreferHeader;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.problem.RequestFutures;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/v1/jobs/{token}} and its result files. */
final class ReadJobOperation {
    private final @Nullable ResultFormat file;
    private final ApiKeyHandler authentication;
    private final JobClient jobs;
    private final JobLongPolls longPolls;
    private final JobResponses responses;
    private final ProblemResponder problems;

    /** @param file the format of the result file; null for the job */
    ReadJobOperation(
            @Nullable ResultFormat file,
            ApiKeyHandler authentication,
            JobClient jobs,
            JobLongPolls longPolls,
            JobResponses responses,
            ProblemResponder problems) {
        this.file = file;
        this.authentication = authentication;
        this.jobs = jobs;
        this.longPolls = longPolls;
        this.responses = responses;
        this.problems = problems;
    }

    void handle(RoutingContext ctx) {
        authentication.authenticate(ctx, Scope.JOBS_READ, caller -> read(ctx, caller));
    }

    private void read(RoutingContext ctx, ApiCaller caller) {
        String token = ctx.pathParam("token");
        ResultFormat format = file == null ? ResultFormat.requested(ctx) : file.ifAccepted(ctx);
        if (format == null) {
            problems.send(ctx, notAcceptable());
            return;
        }
        JobViewParameters view;
        try {
            view = file == null ? JobViewParameters.ofJob(ctx, format) : JobViewParameters.ofFile(ctx, format);
        } catch (IllegalArgumentException e) {
            problems.send(ctx, PageCursor.invalid());
            return;
        }
        PreferHeader preferences = PreferHeader.of(ctx.request().headers());
        boolean minimal = preferences.minimal() && format == ResultFormat.JSON;
        JobViewParameters applied = minimal ? view.withoutLines() : view;
        int seconds = longPolls.seconds(preferences.waitSeconds());
        String condition = ctx.request().getHeader("If-None-Match");
        long knownVersion = condition == null ? JobLongPolls.UNTIL_FINAL : applied.versionOf(condition);
        boolean differs = condition != null && knownVersion < 0;
        boolean wait = seconds > 0 && !differs && longPolls.acquire(caller);
        Future<JobMessage.JobSnapshot> job = wait
                ? longPolls.await(ctx, caller, token, knownVersion, seconds)
                : jobs.read(caller.accountId(), token);
        int waited = wait || (seconds > 0 && differs) ? seconds : 0;
        List<String> preferencesApplied = new ArrayList<>();
        if (waited > 0) {
            preferencesApplied.add("wait=" + waited);
        }
        if (minimal) {
            preferencesApplied.add("return=minimal");
        }
        RequestFutures.handle(ctx, job, current -> {
            if (wait) {
                // the API key can have been revoked while the request was held
                authentication.authenticate(
                        ctx, Scope.JOBS_READ, valid -> respond(ctx, valid, current, applied, preferencesApplied));
            } else {
                respond(ctx, caller, current, applied, preferencesApplied);
            }
        });
    }

    private void respond(
            RoutingContext ctx,
            ApiCaller caller,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            List<String> preferencesApplied) {
        if (ctx.response().closed()) {
            return;
        }
        if (view.from() >= job.total()) {
            problems.send(ctx, PageCursor.invalid());
            return;
        }
        String etag = view.etag(job);
        Runnable headers = () -> {
            ctx.response().putHeader("ETag", etag);
            JobResponses.setRetryAfter(ctx.response(), job);
            if (!preferencesApplied.isEmpty()) {
                ctx.response().putHeader("Preference-Applied", String.join(", ", preferencesApplied));
            }
        };
        if (ContentNegotiation.matches(ctx, etag)) {
            JobResponses.notModified(ctx, headers);
        } else {
            responses.sendStored(ctx, caller.accountId(), job, view, jobs.lines(job), headers);
        }
    }

    private Problem notAcceptable() {
        return Problem.of(
                406,
                "not-acceptable",
                "Not acceptable",
                file == null
                        ? "Supported formats: application/json, text/csv and application/x-ndjson in the Accept"
                                + " header, or ?format=json, csv or ndjson."
                        : "The Accept header excludes " + file.contentType() + ", the media type of this file.");
    }
}
