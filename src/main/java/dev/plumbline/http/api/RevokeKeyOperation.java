package dev.plumbline.http.api;

import dev.plumbline.account.Accounts;
import dev.plumbline.account.SignedIn;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problem;
import dev.plumbline.http.Problems;
import dev.plumbline.http.SessionAuthentication;
import io.vertx.ext.web.RoutingContext;

/** {@code DELETE /api/v1/keys/{id}}: revokes a key, however often it is asked to. */
final class RevokeKeyOperation implements Operation {
  private final Accounts accounts;
  private final SessionAuthentication people;
  private final Problems problems;

  RevokeKeyOperation(Accounts accounts, SessionAuthentication people, Problems problems) {
    this.accounts = accounts;
    this.people = people;
    this.problems = problems;
  }

  @Override
  public String operationId() {
    return "revokeKey";
  }

  @Override
  public void handle(RoutingContext ctx) {
    people.signedIn(ctx, who -> revoke(ctx, who, ctx.pathParam("id")));
  }

  private void revoke(RoutingContext ctx, SignedIn who, String id) {
    if (!id.matches("[0-9]{1,18}")) {
      problems.send(ctx, unknown());
      return;
    }
    accounts
        .revokeKey(who.account().id(), Long.parseLong(id))
        .onSuccess(
            found -> {
              if (found) {
                OwnAnswers.nothing(ctx);
              } else {
                problems.send(ctx, unknown());
              }
            })
        .onFailure(ctx::fail);
  }

  private static Problem unknown() {
    return Problem.notFound("Your account has no such key; GET /api/v1/keys lists them.");
  }
}
