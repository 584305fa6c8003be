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
 * What people do with their account, as its operations and its pages ask for it. Bodies are as
 * openapi.json has them. What cannot be done is told to the caller as a problem; what fails fails
 * the request.
 */
public final class AccountService {
    private static final Duration FARTHEST = Duration.ofDays(36_525);

    private final Dependencies needs;

    /**
     * What they work with.
     *
     * @param signUpPlan the plan of whoever makes an account; null: strangers make none
     */
    public record Dependencies(
            AccountAdministration accounts,
            SignInService signIns,
            SessionService sessions,
            SessionHandler people,
            ClientAddress clients,
            Clock clock,
            @Nullable Plan signUpPlan) {}

    public AccountService(Dependencies needs) {
        this.needs = needs;
    }

    /** Who is signed in, and whether a request comes from our own pages. */
    public SessionHandler people() {
        return needs.people;
    }

    /** Whether strangers may make an account. */
    public boolean signUpIsOpen() {
        return needs.signUpPlan != null;
    }

    /**
     * Signs in; the answer then carries the session.
     *
     * @param given with {@code email} and {@code password}
     */
    public void signIn(
            RoutingContext ctx, JsonObject given, Consumer<AuthenticatedUser> then, Consumer<Problem> refused) {
        needs.signIns
                .signIn(given.getString("email"), given.getString("password"), client(ctx))
                .onSuccess(outcome -> goOn(ctx, () -> welcome(ctx, outcome, then, refused)))
                .onFailure(ctx::fail);
    }

    /**
     * Makes an account and signs it in.
     *
     * @param given with {@code email} and {@code password}
     */
    public void signUp(
            RoutingContext ctx, JsonObject given, Consumer<AuthenticatedUser> then, Consumer<Problem> refused) {
        Plan plan = needs.signUpPlan;
        if (plan == null) {
            refused.accept(signUpClosed());
            return;
        }
        List<Problem.Fault> faults = new ArrayList<>();
        EmailAddress email = null;
        try {
            email = EmailAddress.parse(given.getString("email"));
        } catch (IllegalArgumentException none) {
            faults.add(Problem.Fault.pointer("/email", String.valueOf(none.getMessage())));
        }
        String password = given.getString("password");
        String fault = PasswordHasher.validate(password);
        if (fault != null) {
            faults.add(Problem.Fault.pointer("/password", fault));
        }
        if (email == null || !faults.isEmpty()) {
            refused.accept(JsonBody.invalid(faults));
            return;
        }
        needs.signIns
                .signUp(email, plan, password, client(ctx))
                .onSuccess(outcome -> goOn(ctx, () -> welcome(ctx, outcome, then, refused)))
                .onFailure(ctx::fail);
    }

    static Problem signUpClosed() {
        return Problem.of(
                403,
                "signup-closed",
                "Accounts are not open to everybody",
                "Ask whoever runs this service for an account (accounts.signup).");
    }

    private void welcome(
            RoutingContext ctx, SignInResult outcome, Consumer<AuthenticatedUser> then, Consumer<Problem> refused) {
        if (outcome instanceof SignInResult.Success welcome) {
            needs.people.signIn(ctx.response(), welcome.signedIn());
            then.accept(welcome.signedIn());
        } else {
            refused.accept(AccountResponses.problem(outcome));
        }
    }

    /**
     * Changes the password, and signs out everywhere else; the answer then carries a new session.
     *
     * @param given with {@code current_password} and {@code new_password}
     */
    public void changePassword(
            RoutingContext ctx, AuthenticatedUser who, JsonObject given, Runnable then, Consumer<Problem> refused) {
        String next = given.getString("new_password");
        String fault = PasswordHasher.validate(next);
        if (fault != null) {
            refused.accept(JsonBody.invalid(List.of(Problem.Fault.pointer("/new_password", fault))));
            return;
        }
        needs.signIns
                .changePassword(who, given.getString("current_password"), next, client(ctx))
                .onSuccess(outcome -> goOn(ctx, () -> changed(ctx, outcome, then, refused)))
                .onFailure(ctx::fail);
    }

    private void changed(RoutingContext ctx, SignInResult outcome, Runnable then, Consumer<Problem> refused) {
        if (outcome instanceof SignInResult.PasswordChanged changed) {
            if (changed.signedIn() == null) {
                needs.people.signOut(ctx.response());
            } else {
                needs.people.signIn(ctx.response(), changed.signedIn());
            }
            then.run();
        } else if (outcome instanceof SignInResult.InvalidCredentials) {
            refused.accept(Problem.of(
                            403,
                            "wrong-password",
                            "The current password is wrong",
                            "Check it; passwords are case-sensitive.")
                    .withFaults(List.of(Problem.Fault.pointer("/current_password", "is not your password"))));
        } else {
            refused.accept(AccountResponses.problem(outcome));
        }
    }

    /** Who asks, as far as it can be known. */
    private SignInService.Client client(RoutingContext ctx) {
        String agent = ctx.request().getHeader("User-Agent");
        return new SignInService.Client(needs.clients.quotaKey(ctx.request()), agent == null ? "" : agent);
    }

    /** The account's keys, revoked ones too. */
    public Future<List<ApiKey>> keys(AuthenticatedUser who) {
        return needs.accounts.keys(who.account().id());
    }

    /**
     * Makes a key.
     *
     * @param given with {@code name}, perhaps {@code scopes} and {@code expires_at}
     * @param then with the key itself, which nobody can tell ever again
     */
    public void createKey(
            RoutingContext ctx,
            AuthenticatedUser who,
            JsonObject given,
            Consumer<ApiKeyCreation.Created> then,
            Consumer<Problem> refused) {
        List<Problem.Fault> faults = new ArrayList<>();
        String name = given.getString("name");
        String validateName = ApiKeyRequest.validateName(name);
        if (validateName != null) {
            faults.add(Problem.Fault.pointer("/name", validateName));
        }
        Instant expiresAt = expiresAt(given);
        if (expiresAt != null && !expiresAt.isAfter(needs.clock.instant())) {
            faults.add(Problem.Fault.pointer("/expires_at", "is not in the future"));
        } else if (expiresAt != null && expiresAt.isAfter(needs.clock.instant().plus(FARTHEST))) {
            faults.add(Problem.Fault.pointer("/expires_at", "is over 100 years away; leave it out"));
        }
        if (!faults.isEmpty()) {
            refused.accept(JsonBody.invalid(faults));
            return;
        }
        needs.accounts
                .createKey(who.account().id(), new ApiKeyRequest(name, scopes(given), expiresAt))
                .onSuccess(creation -> goOn(ctx, () -> created(creation, then, refused)))
                .onFailure(ctx::fail);
    }

    private static @Nullable Instant expiresAt(JsonObject given) {
        String text = given.getString("expires_at");
        return text == null ? null : OffsetDateTime.parse(text).toInstant();
    }

    private static Set<Scope> scopes(JsonObject given) {
        JsonArray wanted = given.getJsonArray("scopes");
        return wanted == null
                ? EnumSet.allOf(Scope.class)
                : wanted.stream()
                        .map(id -> Scope.of((String) id))
                        .filter(Objects::nonNull)
                        .collect(Collectors.toSet());
    }

    private static void created(
            ApiKeyCreation creation, Consumer<ApiKeyCreation.Created> then, Consumer<Problem> refused) {
        if (creation instanceof ApiKeyCreation.Created created) {
            then.accept(created);
        } else if (creation instanceof ApiKeyCreation.TooMany) {
            refused.accept(Problem.of(
                    409,
                    "too-many-keys",
                    "The account has all the keys that it may have",
                    "An account has at most "
                            + AccountAdministration.MAX_KEYS
                            + " live keys; revoke one that is not used any more."));
        } else {
            refused.accept(Problem.notFound("The account is gone."));
        }
    }

    /**
     * Revokes a key, however often it is asked to.
     *
     * @param id whatever was given
     */
    public void revokeKey(
            RoutingContext ctx, AuthenticatedUser who, String id, Runnable then, Consumer<Problem> refused) {
        if (!id.matches("[0-9]{1,18}")) {
            refused.accept(noSuchKey());
            return;
        }
        needs.accounts
                .revokeKey(who.account().id(), Long.parseLong(id))
                .onSuccess(found -> goOn(ctx, () -> {
                    if (found) {
                        then.run();
                    } else {
                        refused.accept(noSuchKey());
                    }
                }))
                .onFailure(ctx::fail);
    }

    public static Problem noSuchKey() {
        return Problem.notFound("Your account has no such key; GET /api/v1/keys lists them.");
    }

    /** Where the account is signed in, the last used first. */
    public Future<List<Session>> sessions(AuthenticatedUser who) {
        return needs.sessions.list(who.account().id());
    }

    /**
     * Signs out in one place, whether it is still signed in there or not; here, the answer then
     * carries no session any more.
     *
     * @param id whatever was given
     * @param then with whether that was here
     */
    public void endSession(
            RoutingContext ctx, AuthenticatedUser who, String id, Consumer<Boolean> then, Consumer<Problem> refused) {
        if (!id.matches("[0-9]{1,18}")) {
            refused.accept(Problem.notFound("There is no such session; the account page lists them."));
        } else if (Long.parseLong(id) == who.session().id()) {
            signOut(ctx, who, () -> then.accept(true));
        } else {
            needs.sessions
                    .end(who.account().id(), Long.parseLong(id))
                    .onSuccess(ended -> goOn(ctx, () -> then.accept(false)))
                    .onFailure(ctx::fail);
        }
    }

    /** Signs out here; the answer then carries no session any more. */
    public void signOut(RoutingContext ctx, @Nullable AuthenticatedUser who, Runnable then) {
        end(ctx, who == null ? Future.succeededFuture() : needs.sessions.end(who.session()), then);
    }

    /** Signs out everywhere, here too. */
    public void signOutEverywhere(RoutingContext ctx, AuthenticatedUser who, Runnable then) {
        end(ctx, needs.sessions.endAll(who.account().id()), then);
    }

    private void end(RoutingContext ctx, Future<Void> ending, Runnable then) {
        ending.onSuccess(ended -> goOn(ctx, () -> {
                    needs.people.signOut(ctx.response());
                    then.run();
                }))
                .onFailure(ctx::fail);
    }

    /** Nobody else would answer after a fault. */
    private static void goOn(RoutingContext ctx, Runnable next) {
        try {
            next.run();
        } catch (RuntimeException fault) {
            ctx.fail(fault);
        }
    }
}
