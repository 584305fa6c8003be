package dev.plumbline.http.api.account;

import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.auth.SessionHandler;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.core.Handler;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.function.Consumer;

/** The operations on accounts, sessions and API keys. */
public final class AccountOperations {
    private final AccountService accounts;
    private final SessionHandler sessions;
    private final ApiContract contract;
    private final RequestBodyReader bodies;
    private final ProblemResponder problems;

    private AccountOperations(
            AccountService accounts, ApiContract contract, RequestBodyReader bodies, ProblemResponder problems) {
        this.accounts = accounts;
        this.sessions = accounts.sessionHandler();
        this.contract = contract;
        this.bodies = bodies;
        this.problems = problems;
    }

    public static List<ApiOperation> of(
            AccountService accounts, ApiContract contract, RequestBodyReader bodies, ProblemResponder problems) {
        AccountOperations operations = new AccountOperations(accounts, contract, bodies, problems);
        return List.of(
                operations.signIn(),
                json("getSession", operations::getSession),
                new ApiOperation("signOut", operations::signOut),
                json("listSessions", operations::listSessions),
                new ApiOperation("signOutEverywhere", operations::signOutEverywhere),
                operations.signUp(),
                operations.changePassword(),
                json("listKeys", operations::listKeys),
                operations.createKey(),
                new ApiOperation("revokeKey", operations::revokeKey));
    }

    /** An operation that sends 406 unless the client accepts JSON. */
    private static ApiOperation json(String operationId, Handler<RoutingContext> handler) {
        return new ApiOperation(operationId, ctx -> {
            if (ContentNegotiation.acceptsJson(ctx)) {
                handler.handle(ctx);
            } else {
                ctx.fail(406);
            }
        });
    }

    private JsonBody body(String operationId) {
        return new JsonBody(bodies, problems, contract, operationId);
    }

    private Consumer<Problem> problem(RoutingContext ctx) {
        return problem -> problems.send(ctx, problem);
    }

    private ApiOperation signIn() {
        JsonBody body = body("signIn");
        return json("signIn", ctx -> {
            if (sessions.validateOrigin(ctx)) {
                body.read(
                        ctx,
                        credentials -> accounts.signIn(
                                ctx,
                                credentials,
                                user -> AccountResponses.send(ctx, 200, AccountResponses.json(user)),
                                problem(ctx)));
            }
        });
    }

    private ApiOperation signUp() {
        JsonBody body = body("signUp");
        return json("signUp", ctx -> {
            if (!accounts.isSignUpOpen()) {
                problems.send(ctx, AccountService.signUpClosed());
            } else if (sessions.validateOrigin(ctx)) {
                body.read(
                        ctx,
                        credentials -> accounts.signUp(
                                ctx,
                                credentials,
                                user -> AccountResponses.send(ctx, 201, AccountResponses.json(user)),
                                problem(ctx)));
            }
        });
    }

    private void getSession(RoutingContext ctx) {
        sessions.authenticate(ctx, user -> AccountResponses.send(ctx, 200, AccountResponses.json(user)));
    }

    private void listSessions(RoutingContext ctx) {
        sessions.authenticate(ctx, user -> accounts.sessions(user)
                .onSuccess(all -> {
                    JsonArray list = new JsonArray();
                    all.forEach(session -> list.add(AccountResponses.json(
                            session, session.id() == user.session().id())));
                    AccountResponses.send(ctx, 200, new JsonObject().put("sessions", list));
                })
                .onFailure(ctx::fail));
    }

    private void signOut(RoutingContext ctx) {
        sessions.authenticateOptional(ctx, user -> accounts.signOut(ctx, user, () -> AccountResponses.noContent(ctx)));
    }

    private void signOutEverywhere(RoutingContext ctx) {
        sessions.authenticate(
                ctx, user -> accounts.signOutEverywhere(ctx, user, () -> AccountResponses.noContent(ctx)));
    }

    private ApiOperation changePassword() {
        JsonBody body = body("changePassword");
        return json(
                "changePassword",
                ctx -> sessions.authenticate(
                        ctx,
                        body,
                        (user, passwords) -> accounts.changePassword(
                                ctx, user, passwords, () -> AccountResponses.noContent(ctx), problem(ctx))));
    }

    private void listKeys(RoutingContext ctx) {
        sessions.authenticate(ctx, user -> accounts.keys(user)
                .onSuccess(keys -> {
                    JsonArray list = new JsonArray();
                    keys.forEach(key -> list.add(AccountResponses.json(key)));
                    AccountResponses.send(ctx, 200, new JsonObject().put("keys", list));
                })
                .onFailure(ctx::fail));
    }

    private ApiOperation createKey() {
        JsonBody body = body("createKey");
        return json(
                "createKey",
                ctx -> sessions.authenticate(
                        ctx,
                        body,
                        (user, request) -> accounts.createKey(
                                ctx,
                                user,
                                request,
                                created -> AccountResponses.send(
                                        ctx,
                                        201,
                                        AccountResponses.json(created.key()).put("key", created.secret())),
                                problem(ctx))));
    }

    private void revokeKey(RoutingContext ctx) {
        sessions.authenticate(
                ctx,
                user -> accounts.revokeKey(
                        ctx, user, ctx.pathParam("id"), () -> AccountResponses.noContent(ctx), problem(ctx)));
    }
}
