package dev.plumbline.http.api;

import dev.plumbline.account.Sessions;
import dev.plumbline.http.Operation;
import dev.plumbline.http.SessionAuthentication;
import io.vertx.ext.web.RoutingContext;

/** {@code DELETE /api/v1/session}: signs out, however often it is asked to. */
final class SignOutOperation implements Operation {
  private final Sessions sessions;
  private final SessionAuthentication people;

  SignOutOperation(Sessions sessions, SessionAuthentication people) {
    this.sessions = sessions;
    this.people = people;
  }

  @Override
  public String operationId() {
    return "signOut";
  }

  @Override
  public void handle(RoutingContext ctx) {
    people.visitor(
        ctx,
        who -> {
          if (who == null) {
            signedOut(ctx);
          } else {
            sessions.end(who.session()).onSuccess(ended -> signedOut(ctx)).onFailure(ctx::fail);
          }
        });
  }

  private void signedOut(RoutingContext ctx) {
    people.signOut(ctx.response());
    OwnAnswers.nothing(ctx);
  }
}
