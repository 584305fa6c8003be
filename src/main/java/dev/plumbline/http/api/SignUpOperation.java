package dev.plumbline.http.api;

import dev.plumbline.http.JsonBody;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problems;
import io.vertx.ext.web.RoutingContext;

/** {@code POST /api/v1/account}: makes an account and signs it in, where strangers may. */
final class SignUpOperation implements Operation {
  static final String ID = "signUp";

  private final AccountCalls calls;
  private final JsonBody body;
  private final Problems problems;

  SignUpOperation(AccountCalls calls, JsonBody body, Problems problems) {
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
    } else if (!calls.signUpIsOpen()) {
      problems.send(ctx, AccountCalls.signUpClosed());
    } else if (calls.people().cameFromHere(ctx)) {
      body.read(
          ctx,
          given ->
              calls.signUp(
                  ctx,
                  given,
                  who -> OwnAnswers.json(ctx, 201, OwnAnswers.json(who)),
                  problem -> problems.send(ctx, problem)));
    }
  }
}
