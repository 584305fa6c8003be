package dev.plumbline.http.api.account;

import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.auth.SessionHandler;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /api/v1/session}: the current account and session. */
final class GetSessionOperation implements ApiOperation {
    private final SessionHandler people;

    GetSessionOperation(SessionHandler people) {
        this.people = people;
    }

    @Override
    public String operationId() {
        return "getSession";
    }

    @Override
    public void handle(RoutingContext ctx) {
        if (!ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
            return;
        }
        people.signedIn(ctx, who -> AccountResponses.json(ctx, 200, AccountResponses.json(who)));
    }
}
