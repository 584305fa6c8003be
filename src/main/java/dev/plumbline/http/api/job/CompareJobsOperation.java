package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Scope;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.problem.RequestFutures;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /api/v1/jobs/{token}/diff} and its files. */
final class CompareJobsOperation {
    private final ResultFormat format;
    private final ApiKeyHandler authentication;
    private final JobClient jobs;
    private final JobResponses responses;
    private final PortfolioReader portfolio;
    private final ProblemResponder problems;

    CompareJobsOperation(
            ResultFormat format,
            ApiKeyHandler authentication,
            JobClient jobs,
            JobResponses responses,
            PortfolioReader portfolio,
            ProblemResponder problems) {
        this.format = format;
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
        if (format == ResultFormat.JSON ? !ContentNegotiation.acceptsJson(ctx) : format.ifAccepted(ctx) == null) {
            problems.send(ctx, format.notAcceptable());
            return;
        }
        ComparisonView view = ComparisonView.of(ctx, format);
        PolicyParameters policy = PolicyParameters.of(ctx.queryParams());
        long account = caller.accountId();
        RequestFutures.handle(
                ctx,
                jobs.read(account, ctx.pathParam("token")),
                job -> RequestFutures.handle(ctx, portfolio.against(account, job, view.against()), against -> {
                    String suffix = responses.evaluationSuffix(job, policy);
                    if (suffix == null || !portfolio.sendNotModified(ctx, view, job, against, suffix)) {
                        RequestFutures.handle(
                                ctx,
                                responses.evaluation(ctx, job, policy),
                                evaluation -> portfolio.send(ctx, account, view, job, against, evaluation));
                    }
                }));
    }
}
