package dev.plumbline.http.api;

import dev.plumbline.account.SignedIn;
import dev.plumbline.http.JsonBody;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problems;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** {@code PUT /api/v1/account/password}: changes it, and signs out everywhere else. */
final class ChangePasswordOperation implements Operation {
  static final String ID = "changePassword";

  private final AccountCalls calls;
  private final JsonBody body;
  private final Problems problems;

  ChangePasswordOperation(AccountCalls calls, JsonBody body, Problems problems) {
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
    if (!Negotiation.acceptsJson(ctx)) {
      ctx.fail(406);
      return;
    }
    calls.people().signedIn(ctx, body, (who, given) -> change(ctx, who, given));
  }

  private void change(RoutingContext ctx, SignedIn who, JsonObject given) {
    calls.changePassword(
        ctx, who, given, () -> OwnAnswers.nothing(ctx), problem -> problems.send(ctx, problem));
  }
}
