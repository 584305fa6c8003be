package dev.plumbline.http.api;

import dev.plumbline.account.Sessions;
import dev.plumbline.http.Operation;
import dev.plumbline.http.SessionAuthentication;
import io.vertx.ext.web.RoutingContext;

/** {@code DELETE /api/v1/sessions}: signs the account out everywhere, here too. */
final class SignOutEverywhereOperation implements Operation {
  private final Sessions sessions;
  private final SessionAuthentication people;

  SignOutEverywhereOperation(Sessions sessions, SessionAuthentication people) {
    this.sessions = sessions;
    this.people = people;
  }

  @Override
  public String operationId() {
    return "signOutEverywhere";
  }

  @Override
  public void handle(RoutingContext ctx) {
    people.signedIn(
        ctx,
        who ->
            sessions
                .endAll(who.account().id())
                .onSuccess(
                    ended -> {
                      people.signOut(ctx.response());
                      OwnAnswers.nothing(ctx);
                    })
                .onFailure(ctx::fail));
  }
}
