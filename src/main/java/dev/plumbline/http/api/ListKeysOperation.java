package dev.plumbline.http.api;

import dev.plumbline.account.Accounts;
import dev.plumbline.http.Operation;
import dev.plumbline.http.SessionAuthentication;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /api/v1/keys}: what may be told of the account's keys. */
final class ListKeysOperation implements Operation {
  private final Accounts accounts;
  private final SessionAuthentication people;

  ListKeysOperation(Accounts accounts, SessionAuthentication people) {
    this.accounts = accounts;
    this.people = people;
  }

  @Override
  public String operationId() {
    return "listKeys";
  }

  @Override
  public void handle(RoutingContext ctx) {
    if (!Negotiation.acceptsJson(ctx)) {
      ctx.fail(406);
      return;
    }
    people.signedIn(
        ctx,
        who ->
            accounts
                .keys(who.account().id())
                .onSuccess(
                    keys -> {
                      JsonArray list = new JsonArray();
                      keys.forEach(key -> list.add(OwnAnswers.json(key)));
                      OwnAnswers.json(ctx, 200, new JsonObject().put("keys", list));
                    })
                .onFailure(ctx::fail));
  }
}
