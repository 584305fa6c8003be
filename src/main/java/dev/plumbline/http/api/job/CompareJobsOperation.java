package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Scope;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.problem.RequestFutures;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /api/v1/jobs/{token}/diff} and its files. */
final class CompareJobsOperation {
    private final ResultFormat format;
    private final ApiKeyHandler authentication;
    private final JobClient jobs;
    private final PortfolioReader portfolio;
    private final JobResponses responses;
    private final ProblemResponder problems;

    CompareJobsOperation(
            ResultFormat format,
            ApiKeyHandler authentication,
            JobClient jobs,
            PortfolioReader portfolio,
            JobResponses responses,
            ProblemResponder problems) {
        this.format = format;
        this.authentication = authentication;
        this.jobs = jobs;
        this.portfolio = portfolio;
        this.responses = responses;
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
        long account = caller.accountId();
        RequestFutures.handle(
                ctx,
                jobs.read(account, ctx.pathParam("token")),
                job -> RequestFutures.handle(
                        ctx,
                        portfolio.against(account, job, view.against()),
                        against -> compare(ctx, account, view, job, against)));
    }

    private void compare(
            RoutingContext ctx,
            long account,
            ComparisonView view,
            JobMessage.JobSnapshot job,
            JobMessage.JobSnapshot against) {
        String etag = view.etag(job, against);
        Runnable headers = () -> {
            ctx.response().putHeader("ETag", etag);
            JobResponses.setRetryAfter(ctx.response(), job.state().isFinal() ? against : job);
        };
        if (ContentNegotiation.matches(ctx, etag)) {
            JobResponses.notModified(ctx, headers);
            return;
        }
        RequestFutures.handle(
                ctx,
                portfolio.compare(account, job, against, view.withVolatile()),
                comparison -> send(ctx, account, view, comparison, headers));
    }

    private void send(
            RoutingContext ctx, long account, ComparisonView view, JobComparison comparison, Runnable headers) {
        if (ctx.response().closed()) {
            return;
        }
        if (view.from() > 0 && view.from() >= comparison.size()) {
            problems.send(ctx, PageCursor.invalid());
            return;
        }
        Runnable head = () -> {
            JobResponses.setHeaders(ctx);
            ctx.response().putHeader("Content-Type", view.contentType());
            if (format != ResultFormat.JSON) {
                JobResponses.setFileName(ctx.response(), comparison.job().token() + "-diff." + format.id());
            }
            headers.run();
        };
        if (ResponseBodies.headOnly(ctx)) {
            // the length of a streamed body is unknown
            head.run();
            ctx.response().end();
            return;
        }
        portfolio
                .withComparisonMemory(
                        account,
                        () -> responses.stream(
                                ctx, new ChangeStream(comparison, portfolio.reader(account, comparison), view), head))
                .onFailure(ctx::fail);
    }
}
