package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Scope;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.NextLink;
import dev.plumbline.http.api.PreferHeader;
import dev.plumbline.http.api.policy.PolicyParameters;
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
    private final LinePlanner planner;
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
        this.planner = new LinePlanner(jobs);
        this.problems = problems;
    }

    void handle(RoutingContext ctx) {
        authentication.authenticate(ctx, Scope.JOBS_READ, caller -> read(ctx, caller));
    }

    private void read(RoutingContext ctx, ApiCaller caller) {
        ResultFormat format = file == null ? ResultFormat.requested(ctx) : file.ifAccepted(ctx);
        if (format == null) {
            problems.send(ctx, notAcceptable());
            return;
        }
        JobViewParameters view =
                file == null ? JobViewParameters.ofJob(ctx, format) : JobViewParameters.ofFile(ctx, format);
        PreferHeader preferences = PreferHeader.of(ctx.request().headers());
        PolicyParameters policy = PolicyParameters.of(ctx.queryParams());
        RequestFutures.handle(ctx, jobs.read(caller.accountId(), ctx.pathParam("token")), job -> {
            JobViewParameters ofJob = view.withPolicyMissing(responses.isPolicyMissing(job));
            if (!sendNotModified(ctx, job, ofJob, preferences, policy)) {
                RequestFutures.handle(
                        ctx,
                        responses.evaluation(ctx, job, policy),
                        evaluation -> read(ctx, caller, job, ofJob.evaluated(evaluation), preferences));
            }
        });
    }

    /** Sends 304 without compiling the policy and the expectations. Returns false if they are needed. */
    private boolean sendNotModified(
            RoutingContext ctx,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            PreferHeader preferences,
            PolicyParameters policy) {
        String suffix = responses.evaluationSuffix(job, policy);
        boolean held = longPolls.seconds(preferences.waitSeconds()) > 0;
        if (suffix == null || held || problem(job, view) != null || view.from() >= job.total()) {
            return false;
        }
        boolean minimal = isMinimal(view, preferences);
        String etag = (minimal ? view.withoutLines() : view).etag(job, suffix);
        return JobResponses.sendNotModified(
                ctx, etag, () -> setHeaders(ctx, job, view, etag, minimal ? List.of("return=minimal") : List.of()));
    }

    /** The problem of the view of a job, which is reported without waiting; null if there is none. */
    private @Nullable Problem problem(JobMessage.JobSnapshot job, JobViewParameters view) {
        SinceCursor since = view.since();
        Problem unknown = responses.unknownFields(job, view);
        return unknown == null && since != null ? since.notReached(job) : unknown;
    }

    private static boolean isMinimal(JobViewParameters view, PreferHeader preferences) {
        return view.since() == null && preferences.minimal() && view.format() == ResultFormat.JSON;
    }

    private void read(
            RoutingContext ctx,
            ApiCaller caller,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            PreferHeader preferences) {
        SinceCursor since = view.since();
        Problem invalid = problem(job, view);
        if (invalid != null) {
            problems.send(ctx, invalid);
        } else if (since == null) {
            readByIndex(ctx, caller, job, view, preferences);
        } else {
            readFinished(ctx, caller, job, view, since, preferences);
        }
    }

    private void readByIndex(
            RoutingContext ctx,
            ApiCaller caller,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            PreferHeader preferences) {
        boolean minimal = isMinimal(view, preferences);
        JobViewParameters applied = minimal ? view.withoutLines() : view;
        int seconds = longPolls.seconds(preferences.waitSeconds());
        String condition = ctx.request().getHeader("If-None-Match");
        long knownVersion = condition == null ? JobLongPolls.UNTIL_FINAL : applied.versionOf(condition);
        boolean differs = condition != null && knownVersion < 0;
        boolean wait = seconds > 0 && !differs && longPolls.acquire(caller);
        Future<JobMessage.JobSnapshot> awaited =
                wait ? longPolls.await(ctx, caller, job.token(), knownVersion, seconds) : Future.succeededFuture(job);
        int waited = wait || (seconds > 0 && differs) ? seconds : 0;
        List<String> preferencesApplied = new ArrayList<>();
        if (waited > 0) {
            preferencesApplied.add("wait=" + waited);
        }
        if (minimal) {
            preferencesApplied.add("return=minimal");
        }
        RequestFutures.handle(ctx, awaited, current -> {
            if (wait) {
                // the API key can have been revoked while the request was held
                authentication.authenticate(
                        ctx,
                        Scope.JOBS_READ,
                        valid -> respond(ctx, valid, current, applied, applied.etag(current), preferencesApplied));
            } else {
                respond(ctx, caller, current, applied, applied.etag(current), preferencesApplied);
            }
        });
    }

    /** Responds with the lines after a position. Waits until there is a matching one, if requested. */
    private void readFinished(
            RoutingContext ctx,
            ApiCaller caller,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            SinceCursor since,
            PreferHeader preferences) {
        int seconds = longPolls.seconds(preferences.waitSeconds());
        if (seconds == 0 || !longPolls.acquire(caller)) {
            respond(ctx, caller, job, view, view.etag(job), List.of());
            return;
        }
        NewLineCondition condition = new NewLineCondition(jobs, responses, caller.accountId(), view, since);
        RequestFutures.handle(
                ctx,
                longPolls.await(ctx, caller, job.token(), since.completeVersion(), seconds, condition::test),
                current -> authentication.authenticate(
                        ctx,
                        Scope.JOBS_READ,
                        valid -> respond(
                                ctx,
                                valid,
                                current,
                                view.startingAfter(condition.position()),
                                view.etag(current),
                                List.of("wait=" + seconds))));
    }

    private void respond(
            RoutingContext ctx,
            ApiCaller caller,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            String etag,
            List<String> preferencesApplied) {
        if (ctx.response().closed()) {
            return;
        }
        if (view.from() >= job.total()) {
            problems.send(ctx, PageCursor.invalid());
            return;
        }
        Runnable headers = () -> setHeaders(ctx, job, view, etag, preferencesApplied);
        if (JobResponses.sendNotModified(ctx, etag, headers)) {
            return;
        }
        Future<List<JobMessage.FinishedLine>> planned =
                view.readsLines() ? planner.plan(job, view) : Future.succeededFuture(List.of());
        RequestFutures.handle(
                ctx,
                planned,
                lines -> responses.sendStored(ctx, caller.accountId(), job, view, lines, jobs.lines(job), headers));
    }

    private void setHeaders(
            RoutingContext ctx,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            String etag,
            List<String> preferencesApplied) {
        SinceCursor since = view.since();
        ctx.response().putHeader("ETag", etag);
        if (since != null && view.format() != ResultFormat.JSON && !job.state().isFinal()) {
            // a file has all lines that have finished, so its link does not depend on them
            String url = responses.location(job.token()) + (file == null ? "" : "/results." + file.id());
            NextLink.write(ctx, url, "since", since.endOf(job).text(job.token()));
        }
        JobResponses.setRetryAfter(ctx.response(), job);
        if (!preferencesApplied.isEmpty()) {
            ctx.response().putHeader("Preference-Applied", String.join(", ", preferencesApplied));
        }
    }

    private Problem notAcceptable() {
        return file == null
                ? Problem.of(
                        406,
                        "not-acceptable",
                        "Not acceptable",
                        "Supported formats: application/json, text/csv, application/x-ndjson and "
                                + ResultFormat.XLSX.contentType()
                                + " in the Accept header, or ?format=json, csv, ndjson or xlsx.")
                : file.notAcceptable();
    }
}
