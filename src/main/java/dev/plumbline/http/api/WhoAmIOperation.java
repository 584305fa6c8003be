package dev.plumbline.http.api;

import dev.plumbline.http.Operation;
import dev.plumbline.http.SessionAuthentication;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /api/v1/session}: who is signed in. */
final class WhoAmIOperation implements Operation {
  private final SessionAuthentication people;

  WhoAmIOperation(SessionAuthentication people) {
    this.people = people;
  }

  @Override
  public String operationId() {
    return "getSession";
  }

  @Override
  public void handle(RoutingContext ctx) {
    if (!Negotiation.acceptsJson(ctx)) {
      ctx.fail(406);
      return;
    }
    people.signedIn(ctx, who -> OwnAnswers.json(ctx, 200, OwnAnswers.json(who)));
  }
}
