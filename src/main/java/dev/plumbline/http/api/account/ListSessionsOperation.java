package dev.plumbline.http.api.account;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.account.Session;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.ContentNegotiation;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** {@code GET /api/v1/sessions}: the sessions of the account. */
final class ListSessionsOperation implements ApiOperation {
    private final AccountService calls;

    ListSessionsOperation(AccountService calls) {
        this.calls = calls;
    }

    @Override
    public String operationId() {
        return "listSessions";
    }

    @Override
    public void handle(RoutingContext ctx) {
        if (!ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
            return;
        }
        calls.people().signedIn(ctx, who -> calls.sessions(who)
                .onSuccess(all -> AccountResponses.json(ctx, 200, json(all, who)))
                .onFailure(ctx::fail));
    }

    private static JsonObject json(List<Session> all, AuthenticatedUser who) {
        JsonArray list = new JsonArray();
        for (Session session : all) {
            list.add(
                    AccountResponses.json(session, session.id() == who.session().id()));
        }
        return new JsonObject().put("sessions", list);
    }
}
