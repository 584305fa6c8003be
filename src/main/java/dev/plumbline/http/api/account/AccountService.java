package dev.plumbline.http.api.account;

import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.AccountEmail;
import dev.plumbline.account.ApiKey;
import dev.plumbline.account.ApiKeyCreation;
import dev.plumbline.account.ApiKeyRequest;
import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.account.Session;
import dev.plumbline.account.SessionService;
import dev.plumbline.account.SignInResult;
import dev.plumbline.account.SignInService;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.auth.SessionHandler;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.target.ExceptionMessage;
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
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Account operations shared by the API and the pages. Bodies have the form defined in openapi.json. Rejections are
 * failed futures with a {@link ProblemException}.
 */
public final class AccountService {
    private static final Duration MAX_KEY_LIFETIME = Duration.ofDays(36_525);
    private static final Pattern ID = Pattern.compile("[0-9]{1,18}");

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

    public SessionHandler sessionHandler() {
        return services.sessionHandler;
    }

    public boolean isSignUpOpen() {
        return services.signUpPlan != null;
    }

    /**
     * Signs in and sets the session cookie.
     *
     * @param body a body with {@code email} and {@code password}
     */
    public Future<AuthenticatedUser> signIn(RoutingContext ctx, JsonObject body) {
        return services.signIns
                .signIn(body.getString("email"), body.getString("password"), client(ctx))
                .compose(outcome -> completeSignIn(ctx, outcome));
    }

    /**
     * Creates an account and signs it in.
     *
     * @param body a body with {@code email} and {@code password}
     */
    public Future<AuthenticatedUser> signUp(RoutingContext ctx, JsonObject body) {
        Plan plan = services.signUpPlan;
        if (plan == null) {
            return ProblemException.failed(signUpClosed());
        }
        List<Problem.Fault> faults = new ArrayList<>();
        AccountEmail email = null;
        try {
            email = AccountEmail.parse(body.getString("email"));
        } catch (IllegalArgumentException invalid) {
            faults.add(Problem.Fault.pointer("/email", ExceptionMessage.of(invalid)));
        }
        String password = body.getString("password");
        String fault = PasswordHasher.validate(password);
        if (fault != null) {
            faults.add(Problem.Fault.pointer("/password", fault));
        }
        if (email == null || !faults.isEmpty()) {
            return ProblemException.failed(JsonBody.invalid(faults));
        }
        return services.signIns
                .signUp(email, plan, password, client(ctx))
                .compose(outcome -> completeSignIn(ctx, outcome));
    }

    static Problem signUpClosed() {
        return Problem.of(
                403,
                "signup-closed",
                "Sign-up is disabled",
                "Ask the operator for an account. An operator can change `accounts.signup`.");
    }

    private Future<AuthenticatedUser> completeSignIn(RoutingContext ctx, SignInResult outcome) {
        if (outcome instanceof SignInResult.Success success) {
            services.sessionHandler.setCookie(ctx.response(), success.signedIn());
            return Future.succeededFuture(success.signedIn());
        }
        return ProblemException.failed(AccountResponses.problem(outcome));
    }

    /**
     * Changes the password, ends all other sessions and sets the cookie of the new session.
     *
     * @param body a body with {@code current_password} and {@code new_password}
     */
    public Future<Void> changePassword(RoutingContext ctx, AuthenticatedUser user, JsonObject body) {
        String next = body.getString("new_password");
        String fault = PasswordHasher.validate(next);
        if (fault != null) {
            return ProblemException.failed(JsonBody.invalid(List.of(Problem.Fault.pointer("/new_password", fault))));
        }
        return services.signIns
                .changePassword(user, body.getString("current_password"), next, client(ctx))
                .compose(outcome -> passwordChanged(ctx, outcome));
    }

    private Future<Void> passwordChanged(RoutingContext ctx, SignInResult outcome) {
        if (outcome instanceof SignInResult.PasswordChanged changed) {
            if (changed.signedIn() == null) {
                services.sessionHandler.clearCookie(ctx.response());
            } else {
                services.sessionHandler.setCookie(ctx.response(), changed.signedIn());
            }
            return Future.succeededFuture();
        }
        return ProblemException.failed(
                outcome instanceof SignInResult.InvalidCredentials
                        ? Problem.of(
                                        403,
                                        "wrong-password",
                                        "Incorrect password",
                                        "The current password is incorrect. Passwords are case-sensitive.")
                                .withFaults(List.of(Problem.Fault.pointer("/current_password", "is incorrect")))
                        : AccountResponses.problem(outcome));
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
     * @return the key, which is not stored and cannot be shown again
     */
    public Future<ApiKeyCreation.Created> createKey(AuthenticatedUser user, JsonObject body) {
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
            return ProblemException.failed(JsonBody.invalid(faults));
        }
        return services.accounts
                .createKey(user.account().id(), new ApiKeyRequest(name, scopes(body), expiresAt))
                .compose(creation -> creation instanceof ApiKeyCreation.Created created
                        ? Future.succeededFuture(created)
                        : ProblemException.failed(notCreated(creation)));
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

    private static Problem notCreated(ApiKeyCreation outcome) {
        return outcome instanceof ApiKeyCreation.TooMany
                ? Problem.of(
                        409,
                        "too-many-keys",
                        "Too many API keys",
                        "The account has %s active API keys, which is the maximum. Revoke a key that you no longer use."
                                .formatted(AccountAdministration.MAX_KEYS))
                : Problem.notFound("The account no longer exists.");
    }

    /**
     * Revokes a key. Idempotent.
     *
     * @param id as given by the client; not validated
     */
    public Future<Void> revokeKey(AuthenticatedUser user, String id) {
        Future<Boolean> revoked = ID.matcher(id).matches()
                ? services.accounts.revokeKey(user.account().id(), Long.parseLong(id))
                : Future.succeededFuture(false);
        return revoked.compose(exists -> exists
                ? Future.succeededFuture()
                : ProblemException.failed(Problem.notFound(
                        "Your account does not have this API key. GET /api/v1/keys lists your keys.")));
    }

    /** Returns the sessions of the account, most recently used first. */
    public Future<List<Session>> sessions(AuthenticatedUser user) {
        return services.sessions.list(user.account().id());
    }

    /**
     * Ends a session of the account. Idempotent. For the current session, also deletes the cookie.
     *
     * @param id as given by the client; not validated
     * @return whether it was the current session
     */
    public Future<Boolean> endSession(RoutingContext ctx, AuthenticatedUser user, String id) {
        if (!ID.matcher(id).matches()) {
            return ProblemException.failed(
                    Problem.notFound("Your account does not have this session. The account page lists your sessions."));
        }
        long session = Long.parseLong(id);
        boolean current = session == user.session().id();
        return (current
                        ? signOut(ctx, user)
                        : services.sessions.end(user.account().id(), session))
                .map(current);
    }

    /** Ends the current session and deletes the cookie. */
    public Future<Void> signOut(RoutingContext ctx, @Nullable AuthenticatedUser user) {
        return clearingCookie(
                ctx,
                user == null
                        ? Future.succeededFuture()
                        : services.sessions.end(
                                user.account().id(), user.session().id()));
    }

    /** Ends all sessions of the account, including the current one. */
    public Future<Void> signOutEverywhere(RoutingContext ctx, AuthenticatedUser user) {
        return clearingCookie(ctx, services.sessions.endAll(user.account().id()));
    }

    private Future<Void> clearingCookie(RoutingContext ctx, Future<Void> ending) {
        return ending.onSuccess(ended -> services.sessionHandler.clearCookie(ctx.response()));
    }
}
