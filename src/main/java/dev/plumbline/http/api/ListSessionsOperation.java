package dev.plumbline.http.api;

import dev.plumbline.account.Session;
import dev.plumbline.account.SignedIn;
import dev.plumbline.http.Operation;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** {@code GET /api/v1/sessions}: where the account is signed in. */
final class ListSessionsOperation implements Operation {
  private final AccountCalls calls;

  ListSessionsOperation(AccountCalls calls) {
    this.calls = calls;
  }

  @Override
  public String operationId() {
    return "listSessions";
  }

  @Override
  public void handle(RoutingContext ctx) {
    if (!Negotiation.acceptsJson(ctx)) {
      ctx.fail(406);
      return;
    }
    calls
        .people()
        .signedIn(
            ctx,
            who ->
                calls
                    .sessions(who)
                    .onSuccess(all -> OwnAnswers.json(ctx, 200, json(all, who)))
                    .onFailure(ctx::fail));
  }

  private static JsonObject json(List<Session> all, SignedIn who) {
    JsonArray list = new JsonArray();
    for (Session session : all) {
      list.add(OwnAnswers.json(session, session.id() == who.session().id()));
    }
    return new JsonObject().put("sessions", list);
  }
}
