package dev.plumbline.http.api;

import dev.plumbline.account.Accounts;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Sessions;
import dev.plumbline.account.SignIns;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.Contract;
import dev.plumbline.http.JsonBody;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problems;
import dev.plumbline.http.RequestBodies;
import dev.plumbline.http.SessionAuthentication;
import java.time.Clock;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The operations of people: signing in and out, their sessions, their password, their keys. */
public final class AccountOperations {
  private AccountOperations() {}

  /**
   * What they work with.
   *
   * @param signUpPlan the plan of whoever makes an account; null: strangers make none
   */
  public record Needs(
      Contract contract,
      Accounts accounts,
      SignIns signIns,
      Sessions sessions,
      SessionAuthentication people,
      ClientAddress clients,
      RequestBodies bodies,
      Problems problems,
      Clock clock,
      @Nullable Plan signUpPlan) {}

  public static List<Operation> of(Needs n) {
    Function<String, JsonBody> body = id -> new JsonBody(n.bodies, n.problems, n.contract, id);
    return List.of(
        new SignInOperation(
            n.signIns, n.people, n.clients, body.apply(SignInOperation.ID), n.problems),
        new WhoAmIOperation(n.people),
        new SignOutOperation(n.sessions, n.people),
        new ListSessionsOperation(n.sessions, n.people),
        new SignOutEverywhereOperation(n.sessions, n.people),
        new SignUpOperation(
            n.signIns,
            n.people,
            n.clients,
            body.apply(SignUpOperation.ID),
            n.problems,
            n.signUpPlan),
        new ChangePasswordOperation(
            n.signIns, n.people, n.clients, body.apply(ChangePasswordOperation.ID), n.problems),
        new ListKeysOperation(n.accounts, n.people),
        new CreateKeyOperation(
            n.accounts, n.people, body.apply(CreateKeyOperation.ID), n.problems, n.clock),
        new RevokeKeyOperation(n.accounts, n.people, n.problems));
  }
}
