package dev.plumbline.http.api.account;

import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.ApiKey;
import dev.plumbline.account.ApiKeyCreation;
import dev.plumbline.account.ApiKeyRequest;
import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.account.EmailAddress;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.account.Session;
import dev.plumbline.account.SessionService;
import dev.plumbline.account.SignInResult;
import dev.plumbline.account.SignInService;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.RequestFutures;
import dev.plumbline.http.auth.SessionHandler;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.problem.Problem;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Account operations shared by the API and the pages. Bodies have the form defined in openapi.json. Rejections are
 * passed to the caller as problems; failures fail the request.
 */
public final class AccountService {
    private static final Duration MAX_KEY_LIFETIME = Duration.ofDays(36_525);

    private final Dependencies services;

    /**
     * The dependencies.
     *
     * @param signUpPlan the plan of new accounts; null if sign-up is disabled
     */
    public record Dependencies(
            AccountAdministration accounts,
            SignInService signIns,
            SessionService sessions,
            SessionHandler sessionHandler,
            ClientAddress clients,
            Clock clock,
            @Nullable Plan signUpPlan) {}

    public AccountService(Dependencies services) {
        this.services = services;
    }

    /** The session authentication. */
    public SessionHandler sessionHandler() {
        return services.sessionHandler;
    }

    /** Whether sign-up is enabled. */
    public boolean isSignUpOpen() {
        return services.signUpPlan != null;
    }

    /**
     * Signs in and sets the session cookie.
     *
     * @param body a body with {@code email} and {@code password}
     */
    public void signIn(
            RoutingContext ctx, JsonObject body, Consumer<AuthenticatedUser> then, Consumer<Problem> rejected) {
        services.signIns
                .signIn(body.getString("email"), body.getString("password"), client(ctx))
                .onSuccess(outcome -> RequestFutures.run(ctx, () -> completeSignIn(ctx, outcome, then, rejected)))
                .onFailure(ctx::fail);
    }

    /**
     * Creates an account and signs it in.
     *
     * @param body a body with {@code email} and {@code password}
     */
    public void signUp(
            RoutingContext ctx, JsonObject body, Consumer<AuthenticatedUser> then, Consumer<Problem> rejected) {
        Plan plan = services.signUpPlan;
        if (plan == null) {
            rejected.accept(signUpClosed());
            return;
        }
        List<Problem.Fault> faults = new ArrayList<>();
        EmailAddress email = null;
        try {
            email = EmailAddress.parse(body.getString("email"));
        } catch (IllegalArgumentException invalid) {
            faults.add(Problem.Fault.pointer("/email", String.valueOf(invalid.getMessage())));
        }
        String password = body.getString("password");
        String fault = PasswordHasher.validate(password);
        if (fault != null) {
            faults.add(Problem.Fault.pointer("/password", fault));
        }
        if (email == null || !faults.isEmpty()) {
            rejected.accept(JsonBody.invalid(faults));
            return;
        }
        services.signIns
                .signUp(email, plan, password, client(ctx))
                .onSuccess(outcome -> RequestFutures.run(ctx, () -> completeSignIn(ctx, outcome, then, rejected)))
                .onFailure(ctx::fail);
    }

    static Problem signUpClosed() {
        return Problem.of(
                403,
                "signup-closed",
                "Sign-up is disabled",
                "Ask the operator for an account. An operator can change `accounts.signup`.");
    }

    private void completeSignIn(
            RoutingContext ctx, SignInResult outcome, Consumer<AuthenticatedUser> then, Consumer<Problem> rejected) {
        if (outcome instanceof SignInResult.Success success) {
            services.sessionHandler.setCookie(ctx.response(), success.signedIn());
            then.accept(success.signedIn());
        } else {
            rejected.accept(AccountResponses.problem(outcome));
        }
    }

    /**
     * Changes the password, ends all other sessions and sets the cookie of the new session.
     *
     * @param body a body with {@code current_password} and {@code new_password}
     */
    public void changePassword(
            RoutingContext ctx, AuthenticatedUser user, JsonObject body, Runnable then, Consumer<Problem> rejected) {
        String next = body.getString("new_password");
        String fault = PasswordHasher.validate(next);
        if (fault != null) {
            rejected.accept(JsonBody.invalid(List.of(Problem.Fault.pointer("/new_password", fault))));
            return;
        }
        services.signIns
                .changePassword(user, body.getString("current_password"), next, client(ctx))
                .onSuccess(outcome -> RequestFutures.run(ctx, () -> passwordChanged(ctx, outcome, then, rejected)))
                .onFailure(ctx::fail);
    }

    private void passwordChanged(RoutingContext ctx, SignInResult outcome, Runnable then, Consumer<Problem> rejected) {
        if (outcome instanceof SignInResult.PasswordChanged changed) {
            if (changed.signedIn() == null) {
                services.sessionHandler.clearCookie(ctx.response());
            } else {
                services.sessionHandler.setCookie(ctx.response(), changed.signedIn());
            }
            then.run();
        } else if (outcome instanceof SignInResult.InvalidCredentials) {
            rejected.accept(Problem.of(
                            403,
                            "wrong-password",
                            "Incorrect password",
                            "The current password is incorrect. Passwords are case-sensitive.")
                    .withFaults(List.of(Problem.Fault.pointer("/current_password", "is incorrect"))));
        } else {
            rejected.accept(AccountResponses.problem(outcome));
        }
    }

    /** The client address and User-Agent of the request. */
    private SignInService.Client client(RoutingContext ctx) {
        String agent = ctx.request().getHeader("User-Agent");
        return new SignInService.Client(services.clients.quotaKey(ctx.request()), agent == null ? "" : agent);
    }

    /** Returns the API keys of the account, including revoked ones. */
    public Future<List<ApiKey>> keys(AuthenticatedUser user) {
        return services.accounts.keys(user.account().id());
    }

    /**
     * Creates an API key.
     *
     * @param body a body with {@code name} and optional {@code scopes} and {@code expires_at}
     * @param then receives the key, which is not stored and cannot be shown again
     */
    public void createKey(
            RoutingContext ctx,
            AuthenticatedUser user,
            JsonObject body,
            Consumer<ApiKeyCreation.Created> then,
            Consumer<Problem> rejected) {
        List<Problem.Fault> faults = new ArrayList<>();
        String name = body.getString("name");
        String validateName = ApiKeyRequest.validateName(name);
        if (validateName != null) {
            faults.add(Problem.Fault.pointer("/name", validateName));
        }
        Instant expiresAt = expiresAt(body);
        if (expiresAt != null && !expiresAt.isAfter(services.clock.instant())) {
            faults.add(Problem.Fault.pointer("/expires_at", "must be in the future"));
        } else if (expiresAt != null
                && expiresAt.isAfter(services.clock.instant().plus(MAX_KEY_LIFETIME))) {
            faults.add(Problem.Fault.pointer(
                    "/expires_at", "must be within 100 years; omit it for a key that does not expire"));
        }
        if (!faults.isEmpty()) {
            rejected.accept(JsonBody.invalid(faults));
            return;
        }
        services.accounts
                .createKey(user.account().id(), new ApiKeyRequest(name, scopes(body), expiresAt))
                .onSuccess(creation -> RequestFutures.run(ctx, () -> keyCreated(creation, then, rejected)))
                .onFailure(ctx::fail);
    }

    private static @Nullable Instant expiresAt(JsonObject body) {
        String text = body.getString("expires_at");
        return text == null ? null : OffsetDateTime.parse(text).toInstant();
    }

    private static Set<Scope> scopes(JsonObject body) {
        JsonArray ids = body.getJsonArray("scopes");
        return ids == null
                ? EnumSet.allOf(Scope.class)
                : ids.stream()
                        .map(id -> Scope.of((String) id))
                        .filter(Objects::nonNull)
                        .collect(Collectors.toSet());
    }

    private static void keyCreated(
            ApiKeyCreation creation, Consumer<ApiKeyCreation.Created> then, Consumer<Problem> rejected) {
        if (creation instanceof ApiKeyCreation.Created created) {
            then.accept(created);
        } else if (creation instanceof ApiKeyCreation.TooMany) {
            rejected.accept(Problem.of(
                    409,
                    "too-many-keys",
                    "Too many API keys",
                    "The account has "
                            + AccountAdministration.MAX_KEYS
                            + " active API keys, which is the maximum. Revoke a key that you no longer use."));
        } else {
            rejected.accept(Problem.notFound("The account no longer exists."));
        }
    }

    /**
     * Revokes a key. Idempotent.
     *
     * @param id as given by the client; not validated
     */
    public void revokeKey(
            RoutingContext ctx, AuthenticatedUser user, String id, Runnable then, Consumer<Problem> rejected) {
        if (!id.matches("[0-9]{1,18}")) {
            rejected.accept(noSuchKey());
            return;
        }
        services.accounts
                .revokeKey(user.account().id(), Long.parseLong(id))
                .onSuccess(exists -> RequestFutures.run(ctx, () -> {
                    if (exists) {
                        then.run();
                    } else {
                        rejected.accept(noSuchKey());
                    }
                }))
                .onFailure(ctx::fail);
    }

    public static Problem noSuchKey() {
        return Problem.notFound("Your account does not have this API key. GET /api/v1/keys lists your keys.");
    }

    /** Returns the sessions of the account, most recently used first. */
    public Future<List<Session>> sessions(AuthenticatedUser user) {
        return services.sessions.list(user.account().id());
    }

    /**
     * Ends a session of the account. Idempotent. For the current session, also deletes the cookie.
     *
     * @param id as given by the client; not validated
     * @param then receives whether it was the current session
     */
    public void endSession(
            RoutingContext ctx, AuthenticatedUser user, String id, Consumer<Boolean> then, Consumer<Problem> rejected) {
        if (!id.matches("[0-9]{1,18}")) {
            rejected.accept(
                    Problem.notFound("Your account does not have this session. The account page lists your sessions."));
        } else if (Long.parseLong(id) == user.session().id()) {
            signOut(ctx, user, () -> then.accept(true));
        } else {
            services.sessions
                    .end(user.account().id(), Long.parseLong(id))
                    .onSuccess(ended -> RequestFutures.run(ctx, () -> then.accept(false)))
                    .onFailure(ctx::fail);
        }
    }

    /** Ends the current session and deletes the cookie. */
    public void signOut(RoutingContext ctx, @Nullable AuthenticatedUser user, Runnable then) {
        end(ctx, user == null ? Future.succeededFuture() : services.sessions.end(user.session()), then);
    }

    /** Ends all sessions of the account, including the current one. */
    public void signOutEverywhere(RoutingContext ctx, AuthenticatedUser user, Runnable then) {
        end(ctx, services.sessions.endAll(user.account().id()), then);
    }

    private void end(RoutingContext ctx, Future<Void> ending, Runnable then) {
        ending.onSuccess(ended -> RequestFutures.run(ctx, () -> {
                    services.sessionHandler.clearCookie(ctx.response());
                    then.run();
                }))
                .onFailure(ctx::fail);
    }
}
