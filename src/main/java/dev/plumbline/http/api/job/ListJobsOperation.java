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
    private static final int USUAL = 20;

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
        } catch (IllegalArgumentException none) {
            answers.problem(ctx, PageCursor.none());
            return;
        }
        answers.when(
                ctx,
                calls.list(caller.accountId(), JobViewParameters.limit(ctx.request(), USUAL), before),
                found -> JobResponses.send(ctx, page(found)));
    }

    private io.vertx.core.buffer.Buffer page(JobMessage.JobList found) {
        List<JobMessage.JobSnapshot> jobs = found.jobs();
        return json.list(
                jobs,
                found.more() && !jobs.isEmpty()
                        ? PageCursor.behindJob(jobs.get(jobs.size() - 1).token())
                        : null);
    }
}
