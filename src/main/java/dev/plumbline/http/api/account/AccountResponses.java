package dev.plumbline.http.api.account;

import dev.plumbline.account.Account;
import dev.plumbline.account.ApiKey;
import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.account.Scope;
import dev.plumbline.account.Session;
import dev.plumbline.account.SignInResult;
import dev.plumbline.account.SignInService;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.RateLimitHeaders;
import dev.plumbline.http.auth.SessionHandler;
import dev.plumbline.http.problem.Problem;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The responses of account operations: private and not cacheable. */
final class AccountResponses {
    private static final Map<String, String> LIMIT_MESSAGES = Map.of(
            SignInService.BY_ADDRESS, "Too many failed sign-ins from your IP address.",
            SignInService.BY_BOTH, "Too many failed sign-ins with this e-mail address.",
            SignInService.BY_ACCOUNT, "Too many failed sign-ins with this e-mail address.",
            SignInService.SIGN_UP, "Too many accounts were created from your IP address.");

    private AccountResponses() {}

    static void send(RoutingContext ctx, int status, JsonObject body) {
        ResponseBodies.beginPrivate(ctx, status).putHeader("Content-Type", "application/json");
        ResponseBodies.end(ctx, body.toBuffer());
    }

    static void noContent(RoutingContext ctx) {
        ResponseBodies.beginPrivate(ctx, 204).end();
    }

    static JsonObject json(AuthenticatedUser user) {
        return new JsonObject().put("account", json(user.account())).put("session", json(user.session(), true));
    }

    private static JsonObject json(Account account) {
        return new JsonObject()
                .put("email", account.email())
                .put("plan", account.plan().id())
                .put("created_at", text(account.createdAt()))
                .put("live_keys_count", account.keys());
    }

    static JsonObject json(Session session, boolean current) {
        return new JsonObject()
                .put("id", Long.toString(session.id()))
                .put("current", current)
                .put("client", session.client())
                .put("address", session.address())
                .put("created_at", text(session.createdAt()))
                .put("used_at", text(session.usedAt()))
                .put("expires_at", text(session.expiresAt()));
    }

    static JsonObject json(ApiKey key) {
        return new JsonObject()
                .put("id", Long.toString(key.id()))
                .put("prefix", key.prefix())
                .put("name", key.name())
                .put(
                        "scopes",
                        new JsonArray(
                                key.scopes().stream().map(Scope::id).sorted().toList()))
                .put("created_at", text(key.createdAt()))
                .put("last_used_at", text(key.lastUsedAt()))
                .put("expires_at", text(key.expiresAt()))
                .put("revoked_at", text(key.revokedAt()));
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    static Problem problem(SignInResult outcome) {
        if (outcome instanceof SignInResult.RateLimited limited) {
            return RateLimitHeaders.exceeded(
                    limited.policy(),
                    LIMIT_MESSAGES.get(limited.policy()) + " " + RateLimitHeaders.retry(limited.retryAfterSeconds()),
                    limited.retryAfterSeconds());
        }
        if (outcome instanceof SignInResult.Disabled) {
            return Problem.of(
                    403,
                    "account-disabled",
                    "Account disabled",
                    "The operator has disabled this account. Contact the operator.");
        }
        if (outcome instanceof SignInResult.EmailTaken) {
            return Problem.of(
                    409,
                    "email-taken",
                    "E-mail address already in use",
                    "An account with this e-mail address already exists. Sign in, or use another e-mail address.");
        }
        return Problem.of(
                        401,
                        "wrong-credentials",
                        "Incorrect e-mail address or password",
                        "Check the spelling of both. Passwords are case-sensitive.")
                .with("WWW-Authenticate", SessionHandler.CHALLENGE);
    }
}
