package dev.plumbline.http.api.account;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** {@code POST /api/v1/keys}: creates an API key; the only response that contains it. */
final class CreateKeyOperation implements ApiOperation {
    static final String ID = "createKey";

    private final AccountService calls;
    private final JsonBody body;
    private final ProblemResponder problems;

    CreateKeyOperation(AccountService calls, JsonBody body, ProblemResponder problems) {
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
        calls.people().signedIn(ctx, body, (who, given) -> create(ctx, who, given));
    }

    private void create(RoutingContext ctx, AuthenticatedUser who, JsonObject given) {
        calls.createKey(
                ctx,
                who,
                given,
                created -> AccountResponses.json(
                        ctx, 201, AccountResponses.json(created.key()).put("key", created.secret())),
                problem -> problems.send(ctx, problem));
    }
}
