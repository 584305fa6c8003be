package dev.plumbline.http.api;

import dev.plumbline.http.Operation;
import io.vertx.ext.web.RoutingContext;

/** {@code DELETE /api/v1/session}: signs out, however often it is asked to. */
final class SignOutOperation implements Operation {
  private final AccountCalls calls;

  SignOutOperation(AccountCalls calls) {
    this.calls = calls;
  }

  @Override
  public String operationId() {
    return "signOut";
  }

  @Override
  public void handle(RoutingContext ctx) {
    calls.people().visitor(ctx, who -> calls.signOut(ctx, who, () -> OwnAnswers.nothing(ctx)));
  }
}
