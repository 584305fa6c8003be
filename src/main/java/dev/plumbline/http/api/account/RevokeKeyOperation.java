package dev.plumbline.http.api.account;

import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.ext.web.RoutingContext;

/** {@code DELETE /api/v1/keys/{id}}: revokes an API key. Idempotent. */
final class RevokeKeyOperation implements ApiOperation {
    private final AccountService calls;
    private final ProblemResponder problems;

    RevokeKeyOperation(AccountService calls, ProblemResponder problems) {
        this.calls = calls;
        this.problems = problems;
    }

    @Override
    public String operationId() {
        return "revokeKey";
    }

    @Override
    public void handle(RoutingContext ctx) {
        calls.people()
                .signedIn(
                        ctx,
                        who -> calls.revokeKey(
                                ctx,
                                who,
                                ctx.pathParam("id"),
                                () -> AccountResponses.nothing(ctx),
                                problem -> problems.send(ctx, problem)));
    }
}
