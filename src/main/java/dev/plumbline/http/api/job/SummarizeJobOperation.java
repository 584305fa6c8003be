package dev.plumbline.http.api.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Scope;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.portfolio.LineFilter;
import dev.plumbline.portfolio.PortfolioSummary;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/v1/jobs/{token}/summary}. */
final class SummarizeJobOperation {
    private static final JsonMapper JSON = new JsonMapper();

    private final ApiKeyHandler authentication;
    private final JobClient jobs;
    private final JobResponses responses;
    private final PortfolioReader portfolio;
    private final ProblemResponder problems;

    SummarizeJobOperation(
            ApiKeyHandler authentication,
            JobClient jobs,
            JobResponses responses,
            PortfolioReader portfolio,
            ProblemResponder problems) {
        this.authentication = authentication;
        this.jobs = jobs;
        this.responses = responses;
        this.portfolio = portfolio;
        this.problems = problems;
    }

    void handle(RoutingContext ctx) {
        authentication.authenticate(ctx, Scope.JOBS_READ, caller -> read(ctx, caller));
    }

    private void read(RoutingContext ctx, ApiCaller caller) {
        if (!ContentNegotiation.acceptsJson(ctx)) {
            problems.send(ctx, ResultFormat.JSON.notAcceptable());
            return;
        }
        LineSelection selection = LineSelection.of(ctx.request());
        PolicyParameters policy = PolicyParameters.of(ctx.queryParams());
        RequestFutures.handle(ctx, jobs.read(caller.accountId(), ctx.pathParam("token")), job -> {
            String suffix = responses.evaluationSuffix(job, policy);
            if (suffix == null || !sendNotModified(ctx, job, etag(job, selection, suffix))) {
                RequestFutures.handle(
                        ctx,
                        responses.evaluation(ctx, job, policy),
                        evaluation -> summarize(ctx, caller, job, selection, evaluation));
            }
        });
    }

    private static String etag(JobMessage.JobSnapshot job, LineSelection selection, String evaluationSuffix) {
        return "W/\"" + job.version() + "-summary" + selection.tag() + evaluationSuffix + '"';
    }

    private static void setHeaders(RoutingContext ctx, JobMessage.JobSnapshot job, String etag) {
        ctx.response().putHeader("ETag", etag);
        JobResponses.setRetryAfter(ctx.response(), job);
    }

    /** Sends 304 if the client has the entity. Nothing is compiled for this. */
    private static boolean sendNotModified(RoutingContext ctx, JobMessage.JobSnapshot job, String etag) {
        return JobResponses.sendNotModified(ctx, etag, () -> setHeaders(ctx, job, etag));
    }

    private void summarize(
            RoutingContext ctx,
            ApiCaller caller,
            JobMessage.JobSnapshot job,
            LineSelection selection,
            @Nullable ResultEvaluation evaluation) {
        String etag = etag(job, selection, ResultEvaluation.suffix(evaluation));
        if (sendNotModified(ctx, job, etag)) {
            return;
        }
        LineFilter filter = new LineFilter(selection.verdicts(), selection.findings(), selection.text());
        RequestFutures.handle(ctx, portfolio.summary(caller.accountId(), job, filter, evaluation), summary -> {
            if (!ctx.response().closed()) {
                setHeaders(ctx, job, etag);
                JobResponses.send(ctx, json(job, summary));
            }
        });
    }

    static Buffer json(JobMessage.JobSnapshot job, PortfolioSummary summary) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("token", job.token());
        members.put("module", job.module());
        members.put("state", job.state().id());
        members.put("counts", JobJson.counts(job).getMap());
        members.putAll(summary.toMap());
        try {
            return Buffer.buffer(JSON.writeValueAsBytes(members));
        } catch (JsonProcessingException unexpected) {
            throw new UncheckedIOException(unexpected);
        }
    }
}
