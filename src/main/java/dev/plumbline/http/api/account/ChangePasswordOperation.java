package dev.plumbline.http.api.account;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** {@code PUT /api/v1/account/password}: changes the password and ends all other sessions. */
final class ChangePasswordOperation implements ApiOperation {
    static final String ID = "changePassword";

    private final AccountService calls;
    private final JsonBody body;
    private final ProblemResponder problems;

    ChangePasswordOperation(AccountService calls, JsonBody body, ProblemResponder problems) {
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
            return;
        }
        calls.people().signedIn(ctx, body, (who, given) -> change(ctx, who, given));
    }

    private void change(RoutingContext ctx, AuthenticatedUser who, JsonObject given) {
        calls.changePassword(
                ctx, who, given, () -> AccountResponses.nothing(ctx), problem -> problems.send(ctx, problem));
    }
}
