package dev.plumbline.http.auth;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.ApiKeyAuthenticator;
import dev.plumbline.account.ApiKeyLookup;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.problem.RequestFutures;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates requests by API key. Sends 400 for two different keys, 401 without a valid key, 403 if the account or
 * key lacks permission, and 503 if the database is unavailable. Challenges follow RFC 6750, section 3.
 */
public final class ApiKeyHandler {
    private static final String BEARER = "Bearer";
    private static final String CHALLENGE = "Bearer realm=\"plumbline\"";
    private static final int RETRY_SECONDS = 2;

    private final ApiKeyAuthenticator keys;
    private final ProblemResponder problems;

    public ApiKeyHandler(ApiKeyAuthenticator keys, ProblemResponder problems) {
        this.keys = keys;
        this.problems = problems;
    }

    /**
     * Authenticates the request and checks the plan and the scope. If this fails, sends a problem.
     *
     * @param next called at most once, on the context of the request
     */
    public void authenticate(RoutingContext ctx, Scope required, Consumer<ApiCaller> next) {
        identify(ctx, caller -> authorize(ctx, caller, required, next));
    }

    /** Whether the request contains an API key, valid or not. */
    public static boolean hasKey(HttpServerRequest request) {
        return (request.headers().contains("Authorization") || request.headers().contains("X-Api-Key"))
                && !keys(request).isEmpty();
    }

    /** Whether the request contains one valid API key. Does not fail. */
    public Future<Boolean> hasValidKey(HttpServerRequest request) {
        Set<String> distinctKeys = keys(request);
        return distinctKeys.size() != 1
                ? Future.succeededFuture(false)
                : keys.authenticate(distinctKeys.iterator().next())
                        .map(ApiKeyLookup.Authenticated.class::isInstance)
                        .otherwise(false);
    }

    /**
     * Authenticates the request for an operation that requires neither a plan nor a scope. If this fails, sends a
     * problem.
     *
     * @param next called at most once, on the context of the request
     */
    public void identify(RoutingContext ctx, Consumer<ApiCaller> next) {
        Set<String> distinctKeys = keys(ctx.request());
        if (distinctKeys.isEmpty()) {
            problems.send(ctx, noKey());
            return;
        }
        if (distinctKeys.size() > 1) {
            problems.send(
                    ctx,
                    Problem.badRequest(
                            "The request contains two different API keys. Send one key, as Authorization: Bearer KEY or"
                                    + " X-Api-Key: KEY."));
            return;
        }
        RequestFutures.handle(
                ctx, keys.authenticate(distinctKeys.iterator().next()), lookup -> identify(ctx, lookup, next));
    }

    /**
     * As {@link #identify(RoutingContext, Consumer)}, for an operation that does not require an API key.
     *
     * @param next receives null without a key
     */
    public void identifyIfPresent(RoutingContext ctx, Consumer<@Nullable ApiCaller> next) {
        if (hasKey(ctx.request())) {
            identify(ctx, next);
        } else {
            next.accept(null);
        }
    }

    /** Returns the distinct API keys of a request. Other authentication schemes are ignored. */
    private static Set<String> keys(HttpServerRequest request) {
        Set<String> keys = new LinkedHashSet<>();
        for (String value : request.headers().getAll("Authorization")) {
            String credentials = value.strip();
            // the scheme is case-insensitive (RFC 9110, 11.1); the token follows (RFC 6750, 2.1)
            if (credentials.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
                String token = credentials.substring(BEARER.length());
                if (token.isEmpty() || token.charAt(0) == ' ' || token.charAt(0) == '\t') {
                    keys.add(token.strip());
                }
            }
        }
        for (String value : request.headers().getAll("X-Api-Key")) {
            keys.add(value.strip());
        }
        return keys;
    }

    private void identify(RoutingContext ctx, ApiKeyLookup lookup, Consumer<ApiCaller> next) {
        if (lookup instanceof ApiKeyLookup.Authenticated authenticated) {
            next.accept(authenticated.caller());
        } else if (lookup instanceof ApiKeyLookup.Refused rejected) {
            problems.send(ctx, invalidKey(rejected.reason()));
        } else {
            boolean overloaded = lookup instanceof ApiKeyLookup.Unavailable unavailable && unavailable.overloaded();
            problems.send(
                    ctx,
                    Problem.unavailable(
                            overloaded ? "overloaded" : "unavailable",
                            "The API key cannot be verified because the database is "
                                    + (overloaded ? "overloaded" : "unavailable") + ". Retry shortly.",
                            RETRY_SECONDS));
        }
    }

    private void authorize(RoutingContext ctx, ApiCaller caller, Scope required, Consumer<ApiCaller> next) {
        Problem denial = denial(caller, required);
        if (denial != null) {
            problems.send(ctx, denial);
        } else {
            next.accept(caller);
        }
    }

    /**
     * Returns why a caller lacks permission for an operation; null if it is permitted.
     *
     * @param caller null without an API key
     */
    public static @Nullable Problem denial(@Nullable ApiCaller caller, Scope required) {
        if (caller == null) {
            return noKey();
        }
        if (caller.plan() != Plan.PRO) {
            return Problem.of(
                    403,
                    "not-pro",
                    "Pro plan required",
                    (required == Scope.PROBE ? "Probes" : "Jobs")
                            + " require the Pro plan. The account of this key has the Free plan. Instant"
                            + " checks are free and do not require a key.");
        }
        if (!caller.scopes().contains(required)) {
            return Problem.of(
                            403,
                            "insufficient-scope",
                            "Insufficient scope",
                            ("The API key does not have the scope %s. Use another key or create one on the"
                                            + " account page.")
                                    .formatted(required.id()))
                    .with(
                            "WWW-Authenticate",
                            CHALLENGE + ", error=\"insufficient_scope\", scope=\"" + required.id() + '"');
        }
        return null;
    }

    private static Problem noKey() {
        return Problem.of(
                        401,
                        "no-key",
                        "API key required",
                        "Send an API key as Authorization: Bearer KEY or X-Api-Key: KEY. Create a key on the"
                                + " account page.")
                .with("WWW-Authenticate", CHALLENGE);
    }

    private static Problem invalidKey(ApiKeyLookup.Reason reason) {
        return switch (reason) {
            case MALFORMED ->
                invalidKey("The API key is malformed. A key is plk_ followed by 38 letters and digits, including a"
                        + " checksum. Check that it is complete.");
            case UNKNOWN -> invalidKey("The API key is unknown. Create a key on the account page.");
            case REVOKED -> invalidKey("This API key has been revoked. Use another key.");
            case EXPIRED -> invalidKey("This API key has expired. Use another key.");
            case DISABLED ->
                Problem.of(
                        403,
                        "account-disabled",
                        "Account disabled",
                        "The account of this key is disabled. Contact the operator.");
        };
    }

    private static Problem invalidKey(String detail) {
        return Problem.of(401, "invalid-key", "Invalid API key", detail)
                .with("WWW-Authenticate", CHALLENGE + ", error=\"invalid_token\"");
    }

    /** Marks a response as private, so that shared caches do not store it. */
    public static void markPrivate(HttpServerResponse response) {
        response.putHeader("Cache-Control", "private, no-cache");
        ResponseBodies.addVary(response, "Authorization, X-Api-Key, Accept, Accept-Encoding");
    }
}
