package dev.plumbline.http.api;

import dev.plumbline.account.EmailAddress;
import dev.plumbline.account.Passwords;
import dev.plumbline.account.Plan;
import dev.plumbline.account.SignIns;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.JsonBody;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problem;
import dev.plumbline.http.Problems;
import dev.plumbline.http.SessionAuthentication;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code POST /api/v1/account}: makes an account and signs it in, where strangers may. */
final class SignUpOperation implements Operation {
  static final String ID = "signUp";

  private final SignIns signIns;
  private final SessionAuthentication people;
  private final ClientAddress clients;
  private final JsonBody body;
  private final Problems problems;
  private final @Nullable Plan plan;

  /**
   * @param plan of an account that is made so; null: nobody may make one
   */
  SignUpOperation(
      SignIns signIns,
      SessionAuthentication people,
      ClientAddress clients,
      JsonBody body,
      Problems problems,
      @Nullable Plan plan) {
    this.signIns = signIns;
    this.people = people;
    this.clients = clients;
    this.body = body;
    this.problems = problems;
    this.plan = plan;
  }

  @Override
  public String operationId() {
    return ID;
  }

  @Override
  public void handle(RoutingContext ctx) {
    if (!Negotiation.acceptsJson(ctx)) {
      ctx.fail(406);
    } else if (plan == null) {
      problems.send(
          ctx,
          Problem.of(
              403,
              "signup-closed",
              "Accounts are not open to everybody",
              "Ask whoever runs this service for an account (accounts.signup)."));
    } else if (people.cameFromHere(ctx)) {
      body.read(ctx, given -> signUp(ctx, given, plan));
    }
  }

  private void signUp(RoutingContext ctx, JsonObject given, Plan plan) {
    List<Problem.Fault> faults = new ArrayList<>();
    EmailAddress email = null;
    try {
      email = EmailAddress.parse(given.getString("email"));
    } catch (IllegalArgumentException none) {
      faults.add(Problem.Fault.pointer("/email", String.valueOf(none.getMessage())));
    }
    String password = given.getString("password");
    String fault = Passwords.fault(password);
    if (fault != null) {
      faults.add(Problem.Fault.pointer("/password", fault));
    }
    if (email == null || !faults.isEmpty()) {
      problems.send(ctx, JsonBody.invalid(faults));
      return;
    }
    signIns
        .signUp(email, plan, password, SignInOperation.client(ctx, clients))
        .onSuccess(outcome -> OwnAnswers.send(ctx, outcome, 201, people, problems))
        .onFailure(ctx::fail);
  }
}
