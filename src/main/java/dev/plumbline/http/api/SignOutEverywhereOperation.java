package dev.plumbline.http.api;

import dev.plumbline.http.Operation;
import io.vertx.ext.web.RoutingContext;

/** {@code DELETE /api/v1/sessions}: signs the account out everywhere, here too. */
final class SignOutEverywhereOperation implements Operation {
  private final AccountCalls calls;

  SignOutEverywhereOperation(AccountCalls calls) {
    this.calls = calls;
  }

  @Override
  public String operationId() {
    return "signOutEverywhere";
  }

  @Override
  public void handle(RoutingContext ctx) {
    calls
        .people()
        .signedIn(ctx, who -> calls.signOutEverywhere(ctx, who, () -> OwnAnswers.nothing(ctx)));
  }
}
