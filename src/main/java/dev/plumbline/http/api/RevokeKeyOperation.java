package dev.plumbline.http.api;

import dev.plumbline.http.Operation;
import dev.plumbline.http.Problems;
import io.vertx.ext.web.RoutingContext;

/** {@code DELETE /api/v1/keys/{id}}: revokes a key, however often it is asked to. */
final class RevokeKeyOperation implements Operation {
  private final AccountCalls calls;
  private final Problems problems;

  RevokeKeyOperation(AccountCalls calls, Problems problems) {
    this.calls = calls;
    this.problems = problems;
  }

  @Override
  public String operationId() {
    return "revokeKey";
  }

  @Override
  public void handle(RoutingContext ctx) {
    calls
        .people()
        .signedIn(
            ctx,
            who ->
                calls.revokeKey(
                    ctx,
                    who,
                    ctx.pathParam("id"),
                    () -> OwnAnswers.nothing(ctx),
                    problem -> problems.send(ctx, problem)));
  }
}
