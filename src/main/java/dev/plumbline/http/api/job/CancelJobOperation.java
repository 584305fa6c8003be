package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Scope;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.api.PreferHeader;
import dev.plumbline.http.auth.ApiKeyHandler;
import io.vertx.ext.web.RoutingContext;

/** {@code DELETE /api/v1/jobs/{token}}. */
final class CancelJobOperation implements ApiOperation {
    private final ApiKeyHandler authentication;
    private final JobClient calls;
    private final JobResponses answers;

    CancelJobOperation(ApiKeyHandler authentication, JobClient calls, JobResponses answers) {
        this.authentication = authentication;
        this.calls = calls;
        this.answers = answers;
    }

    @Override
    public String operationId() {
        return "cancelJob";
    }

    @Override
    public void handle(RoutingContext ctx) {
        authentication.caller(ctx, Scope.JOBS_WRITE, caller -> cancel(ctx, caller));
    }

    private void cancel(RoutingContext ctx, ApiCaller caller) {
        String token = ctx.pathParam("token");
        if (!JobToken.isOne(token)) {
            answers.problem(ctx, JobClient.noSuchJob());
        } else if (!ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
        } else {
            answers.when(ctx, calls.cancel(caller.accountId(), token), job -> answer(ctx, job));
        }
    }

    private void answer(RoutingContext ctx, JobMessage.JobSnapshot job) {
        boolean minimal = PreferHeader.of(ctx.request().headers()).minimal();
        answers.sendStored(ctx, job, JobViewParameters.whole(!minimal), calls.lines(job), () -> {
            JobResponses.retryAfter(ctx.response(), job);
            if (minimal) {
                ctx.response().putHeader("Preference-Applied", "return=minimal");
            }
        });
    }
}
