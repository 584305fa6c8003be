package dev.plumbline.http.api;

import dev.plumbline.http.Contract;
import dev.plumbline.http.JsonBody;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problems;
import dev.plumbline.http.RequestBodies;
import java.util.List;
import java.util.function.Function;

/** The operations of people: signing in and out, their sessions, their password, their keys. */
public final class AccountOperations {
  private AccountOperations() {}

  public static List<Operation> of(
      AccountCalls calls, Contract contract, RequestBodies bodies, Problems problems) {
    Function<String, JsonBody> body = id -> new JsonBody(bodies, problems, contract, id);
    return List.of(
        new SignInOperation(calls, body.apply(SignInOperation.ID), problems),
        new WhoAmIOperation(calls.people()),
        new SignOutOperation(calls),
        new ListSessionsOperation(calls),
        new SignOutEverywhereOperation(calls),
        new SignUpOperation(calls, body.apply(SignUpOperation.ID), problems),
        new ChangePasswordOperation(calls, body.apply(ChangePasswordOperation.ID), problems),
        new ListKeysOperation(calls),
        new CreateKeyOperation(calls, body.apply(CreateKeyOperation.ID), problems),
        new RevokeKeyOperation(calls, problems));
  }
}
