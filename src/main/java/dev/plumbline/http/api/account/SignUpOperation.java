package dev.plumbline.http.api.account;

import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.ext.web.RoutingContext;

/** {@code POST /api/v1/account}: creates an account and signs it in, if sign-up is enabled. */
final class SignUpOperation implements ApiOperation {
    static final String ID = "signUp";

    private final AccountService calls;
    private final JsonBody body;
    private final ProblemResponder problems;

    SignUpOperation(AccountService calls, JsonBody body, ProblemResponder problems) {
        this.calls = calls;
        this.body = body;
        this.problems = problems;
    }

    @Override
    public String operationId() {
        return ID;
    }

    @Override
    public void handle(RoutingContext ctx) {
        if (!ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
        } else if (!calls.signUpIsOpen()) {
            problems.send(ctx, AccountService.signUpClosed());
        } else if (calls.people().cameFromHere(ctx)) {
            body.read(
                    ctx,
                    given -> calls.signUp(
                            ctx,
                            given,
                            who -> AccountResponses.json(ctx, 201, AccountResponses.json(who)),
                            problem -> problems.send(ctx, problem)));
        }
    }
}
