package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Scope;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.auth.ApiKeyHandler;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** {@code GET /api/v1/jobs}. */
final class ListJobsOperation implements ApiOperation {
    private static final int DEFAULT_LIMIT = 20;

    private final ApiKeyHandler authentication;
    private final JobClient calls;
    private final JobJson json;
    private final JobResponses answers;

    ListJobsOperation(ApiKeyHandler authentication, JobClient calls, JobJson json, JobResponses answers) {
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

    private void list(RoutingContext ctx, ApiCaller caller) {
        if (!ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
            return;
        }
        String cursor = ctx.request().getParam("cursor");
        String before;
        try {
            before = cursor == null ? null : PageCursor.job(cursor);
        } catch (IllegalArgumentException invalid) {
            answers.problem(ctx, PageCursor.invalid());
            return;
        }
        answers.when(
                ctx,
                calls.list(caller.accountId(), JobViewParameters.limit(ctx.request(), DEFAULT_LIMIT), before),
                list -> JobResponses.send(ctx, page(list)));
    }

    private io.vertx.core.buffer.Buffer page(JobMessage.JobList list) {
        List<JobMessage.JobHead> jobs = list.jobs();
        return json.list(
                jobs,
                list.more() && !jobs.isEmpty()
                        ? PageCursor.afterJob(jobs.get(jobs.size() - 1).token())
                        : null);
    }
}
