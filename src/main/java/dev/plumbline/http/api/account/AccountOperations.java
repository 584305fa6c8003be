package dev.plumbline.http.api.account;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.auth.SessionHandler;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.problem.RequestFutures;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.function.Function;

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
        return new JsonBody(bodies, contract, operationId);
    }

    private ApiOperation signIn() {
        JsonBody body = body("signIn");
        return json("signIn", ctx -> {
            if (sessions.validateOrigin(ctx)) {
                body.read(ctx, credentials -> sendUser(ctx, 200, accounts.signIn(ctx, credentials)));
            }
        });
    }

    private ApiOperation signUp() {
        JsonBody body = body("signUp");
        return json("signUp", ctx -> {
            if (!accounts.isSignUpOpen()) {
                problems.send(ctx, AccountService.signUpClosed());
            } else if (sessions.validateOrigin(ctx)) {
                body.read(ctx, credentials -> sendUser(ctx, 201, accounts.signUp(ctx, credentials)));
            }
        });
    }

    private static void sendUser(RoutingContext ctx, int status, Future<AuthenticatedUser> signedIn) {
        RequestFutures.handle(ctx, signedIn, user -> AccountResponses.send(ctx, status, AccountResponses.json(user)));
    }

    private static <T> void sendNoContent(RoutingContext ctx, Future<T> future) {
        RequestFutures.handle(ctx, future, done -> AccountResponses.noContent(ctx));
    }

    private static <T> void sendList(
            RoutingContext ctx, String name, Future<List<T>> future, Function<T, JsonObject> json) {
        RequestFutures.handle(ctx, future, items -> {
            JsonArray list = new JsonArray(items.stream().map(json).toList());
            AccountResponses.send(ctx, 200, new JsonObject().put(name, list));
        });
    }

    private void getSession(RoutingContext ctx) {
        sessions.authenticate(ctx, user -> AccountResponses.send(ctx, 200, AccountResponses.json(user)));
    }

    private void listSessions(RoutingContext ctx) {
        sessions.authenticate(
                ctx,
                user -> sendList(
                        ctx,
                        "sessions",
                        accounts.sessions(user),
                        session -> AccountResponses.json(
                                session, session.id() == user.session().id())));
    }

    private void signOut(RoutingContext ctx) {
        sessions.authenticateOptional(ctx, user -> sendNoContent(ctx, accounts.signOut(ctx, user)));
    }

    private void signOutEverywhere(RoutingContext ctx) {
        sessions.authenticate(ctx, user -> sendNoContent(ctx, accounts.signOutEverywhere(ctx, user)));
    }

    private ApiOperation changePassword() {
        JsonBody body = body("changePassword");
        return json(
                "changePassword",
                ctx -> sessions.authenticate(
                        ctx,
                        body,
                        (user, passwords) -> sendNoContent(ctx, accounts.changePassword(ctx, user, passwords))));
    }

    private void listKeys(RoutingContext ctx) {
        sessions.authenticate(ctx, user -> sendList(ctx, "keys", accounts.keys(user), AccountResponses::json));
    }

    private ApiOperation createKey() {
        JsonBody body = body("createKey");
        return json(
                "createKey",
                ctx -> sessions.authenticate(
                        ctx,
                        body,
                        (user, request) -> RequestFutures.handle(ctx, accounts.createKey(user, request), created -> {
                            JsonObject key = AccountResponses.json(created.key());
                            AccountResponses.send(ctx, 201, key.put("key", created.secret()));
                        })));
    }

    private void revokeKey(RoutingContext ctx) {
        sessions.authenticate(ctx, user -> sendNoContent(ctx, accounts.revokeKey(user, ctx.pathParam("id"))));
    }
}
