package dev.plumbline.http.api.account;

import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.ProblemResponder;
import java.util.List;
import java.util.function.Function;

/** The operations on accounts, sessions and API keys. */
public final class AccountOperations {
    private AccountOperations() {}

    public static List<ApiOperation> of(
            AccountService calls, ApiContract contract, RequestBodyReader bodies, ProblemResponder problems) {
        Function<String, JsonBody> body = id -> new JsonBody(bodies, problems, contract, id);
        return List.of(
                new SignInOperation(calls, body.apply(SignInOperation.ID), problems),
                new GetSessionOperation(calls.people()),
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
