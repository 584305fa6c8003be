package dev.plumbline.http.api;

import dev.plumbline.account.SignedIn;
import dev.plumbline.http.JsonBody;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problems;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** {@code POST /api/v1/keys}: makes a key and shows it, this once. */
final class CreateKeyOperation implements Operation {
  static final String ID = "createKey";

  private final AccountCalls calls;
  private final JsonBody body;
  private final Problems problems;

  CreateKeyOperation(AccountCalls calls, JsonBody body, Problems problems) {
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
    calls.people().signedIn(ctx, body, (who, given) -> create(ctx, who, given));
  }

  private void create(RoutingContext ctx, SignedIn who, JsonObject given) {
    calls.createKey(
        ctx,
        who,
        given,
        created ->
            OwnAnswers.json(ctx, 201, OwnAnswers.json(created.key()).put("key", created.secret())),
        problem -> problems.send(ctx, problem));
  }
}
