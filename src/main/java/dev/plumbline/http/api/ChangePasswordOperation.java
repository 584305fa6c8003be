package dev.plumbline.http.api;

import dev.plumbline.account.Passwords;
import dev.plumbline.account.SignIn;
import dev.plumbline.account.SignIns;
import dev.plumbline.account.SignedIn;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.JsonBody;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problem;
import dev.plumbline.http.Problems;
import dev.plumbline.http.SessionAuthentication;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** {@code PUT /api/v1/account/password}: changes it, and signs out everywhere else. */
final class ChangePasswordOperation implements Operation {
  static final String ID = "changePassword";

  private final SignIns signIns;
  private final SessionAuthentication people;
  private final ClientAddress clients;
  private final JsonBody body;
  private final Problems problems;

  ChangePasswordOperation(
      SignIns signIns,
      SessionAuthentication people,
      ClientAddress clients,
      JsonBody body,
      Problems problems) {
    this.signIns = signIns;
    this.people = people;
    this.clients = clients;
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
    people.signedIn(
        ctx,
        before ->
            body.read(
                ctx, given -> people.stillSignedIn(ctx, before, who -> change(ctx, who, given))));
  }

  private void change(RoutingContext ctx, SignedIn who, JsonObject given) {
    String next = given.getString("new_password");
    String fault = Passwords.fault(next);
    if (fault != null) {
      problems.send(ctx, JsonBody.invalid(List.of(Problem.Fault.pointer("/new_password", fault))));
      return;
    }
    signIns
        .changePassword(
            who, given.getString("current_password"), next, SignInOperation.client(ctx, clients))
        .onSuccess(outcome -> answer(ctx, outcome))
        .onFailure(ctx::fail);
  }

  private void answer(RoutingContext ctx, SignIn outcome) {
    if (outcome instanceof SignIn.PasswordChanged changed) {
      if (changed.signedIn() == null) {
        people.signOut(ctx.response());
      } else {
        people.signIn(ctx.response(), changed.signedIn());
      }
      OwnAnswers.nothing(ctx);
    } else if (outcome instanceof SignIn.Wrong) {
      problems.send(
          ctx,
          Problem.of(
                  403,
                  "wrong-password",
                  "The current password is wrong",
                  "Check it; passwords are case-sensitive.")
              .withFaults(
                  List.of(Problem.Fault.pointer("/current_password", "is not your password"))));
    } else {
      problems.send(ctx, OwnAnswers.problem(outcome));
    }
  }
}
