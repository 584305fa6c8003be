package dev.plumbline.http.api;

import dev.plumbline.account.SignIns;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.JsonBody;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problems;
import dev.plumbline.http.SessionAuthentication;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** {@code POST /api/v1/session}: signs in. */
final class SignInOperation implements Operation {
  static final String ID = "signIn";

  private final SignIns signIns;
  private final SessionAuthentication people;
  private final ClientAddress clients;
  private final JsonBody body;
  private final Problems problems;

  SignInOperation(
      SignIns signIns,
      SessionAuthentication people,
      ClientAddress clients,
      JsonBody body,
      Problems problems) {
    this.signIns = signIns;
    this.people = people;
    this.clients = clients;
    this.body = body;
    this.problems = problems;
  }

  @Override
  public String operationId() {
    return ID;
  }

  @Override
  public void handle(RoutingContext ctx) {
    if (!Negotiation.acceptsJson(ctx)) {
      ctx.fail(406);
    } else if (people.cameFromHere(ctx)) {
      body.read(ctx, given -> signIn(ctx, given));
    }
  }

  private void signIn(RoutingContext ctx, JsonObject given) {
    signIns
        .signIn(given.getString("email"), given.getString("password"), client(ctx, clients))
        .onSuccess(outcome -> OwnAnswers.send(ctx, outcome, 200, people, problems))
        .onFailure(ctx::fail);
  }

  /** Who asks, as far as it can be known. */
  static SignIns.Client client(RoutingContext ctx, ClientAddress clients) {
    String agent = ctx.request().getHeader("User-Agent");
    return new SignIns.Client(clients.quotaKey(ctx.request()), agent == null ? "" : agent);
  }
}
