package dev.plumbline.http.api;

import dev.plumbline.http.JsonBody;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problems;
import io.vertx.ext.web.RoutingContext;

/** {@code POST /api/v1/session}: signs in. */
final class SignInOperation implements Operation {
  static final String ID = "signIn";

  private final AccountCalls calls;
  private final JsonBody body;
  private final Problems problems;

  SignInOperation(AccountCalls calls, JsonBody body, Problems problems) {
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
    } else if (calls.people().cameFromHere(ctx)) {
      body.read(
          ctx,
          given ->
              calls.signIn(
                  ctx,
                  given,
                  who -> OwnAnswers.json(ctx, 200, OwnAnswers.json(who)),
                  problem -> problems.send(ctx, problem)));
    }
  }
}
