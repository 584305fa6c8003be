package dev.plumbline.http.auth;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.ApiKeyAuthenticator;
import dev.plumbline.account.ApiKeyLookup;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Finds out who calls, by the API key of a request, and answers those who may not: 400 for keys
 * that contradict each other, 401 without a good one, 403 where the account or the key may not do
 * this, 503 while the database is away. Challenges are those of RFC 6750, section 3.
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
     * Goes on with the caller if there is one who may do this; otherwise the request is answered.
     *
     * @param then called at most once, on the context of the request
     */
    public void caller(RoutingContext ctx, Scope needed, Consumer<ApiCaller> then) {
        Set<String> shown = shown(ctx.request());
        if (shown.isEmpty()) {
            problems.send(ctx, noKey());
            return;
        }
        if (shown.size() > 1) {
            problems.send(
                    ctx,
                    Problem.badRequest("Two different keys were sent; send one, as Authorization: Bearer KEY or as"
                            + " X-Api-Key: KEY."));
            return;
        }
        keys.authenticate(shown.iterator().next()).onComplete(outcome -> {
            if (outcome.succeeded()) {
                goOn(ctx, outcome.result(), needed, then);
            } else {
                ctx.fail(outcome.cause());
            }
        });
    }

    /** The different keys that a request shows; what is in another scheme is none. */
    private static Set<String> shown(HttpServerRequest request) {
        Set<String> shown = new LinkedHashSet<>();
        for (String value : request.headers().getAll("Authorization")) {
            String credentials = value.strip();
            // RFC 9110, 11.1: the scheme in any case; RFC 6750, 2.1: then the token
            if (credentials.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
                String token = credentials.substring(BEARER.length());
                if (token.isEmpty() || token.charAt(0) == ' ' || token.charAt(0) == '\t') {
                    shown.add(token.strip());
                }
            }
        }
        for (String value : request.headers().getAll("X-Api-Key")) {
            shown.add(value.strip());
        }
        return shown;
    }

    private void goOn(RoutingContext ctx, ApiKeyLookup outcome, Scope needed, Consumer<ApiCaller> then) {
        if (outcome instanceof ApiKeyLookup.Refused refused) {
            problems.send(ctx, refusal(refused.reason()));
        } else if (!(outcome instanceof ApiKeyLookup.Authenticated authenticated)) {
            problems.send(
                    ctx,
                    Problem.unavailable(
                            "unavailable",
                            "The database is not available, so that no key can be looked up; try again" + " shortly.",
                            RETRY_SECONDS));
        } else if (authenticated.caller().plan() != Plan.PRO) {
            problems.send(
                    ctx,
                    forbidden(
                            "not-pro",
                            "The account of this key is on the free plan; jobs need the pro plan. Instant checks"
                                    + " are free and need no key."));
        } else if (!authenticated.caller().scopes().contains(needed)) {
            problems.send(
                    ctx,
                    forbidden(
                                    "insufficient-scope",
                                    "This key lacks the scope "
                                            + needed.id()
                                            + "; use one that has it, or make one on the account page.")
                            .with(
                                    "WWW-Authenticate",
                                    CHALLENGE + ", error=\"insufficient_scope\", scope=\"" + needed.id() + '"'));
        } else {
            try {
                then.accept(authenticated.caller());
            } catch (RuntimeException fault) {
                // nobody else would answer
                ctx.fail(fault);
            }
        }
    }

    private static Problem noKey() {
        return Problem.of(
                        401,
                        "no-key",
                        "A key is needed",
                        "Send an API key as Authorization: Bearer KEY or as X-Api-Key: KEY; the account page"
                                + " makes one.")
                .with("WWW-Authenticate", CHALLENGE);
    }

    private static Problem refusal(ApiKeyLookup.Reason reason) {
        return switch (reason) {
            case MALFORMED ->
                invalidKey("This is no key: one is plk_ and 38 letters and digits, and their checksum fits."
                        + " Was it copied whole?");
            case UNKNOWN -> invalidKey("There is no such key; the account page makes one.");
            case REVOKED -> invalidKey("This key was revoked; use another.");
            case EXPIRED -> invalidKey("This key has expired; use another.");
            case DISABLED ->
                forbidden("account-disabled", "The account of this key is disabled; ask whoever runs this service.");
        };
    }

    private static Problem invalidKey(String detail) {
        return Problem.of(401, "invalid-key", "The key is not valid", detail)
                .with("WWW-Authenticate", CHALLENGE + ", error=\"invalid_token\"");
    }

    private static Problem forbidden(String code, String detail) {
        return Problem.of(403, code, "The key does not allow this", detail);
    }

    /** Marks an answer as one caller's own: nobody else may be given it from a cache. */
    public static void markPrivate(HttpServerResponse response) {
        response.putHeader("Cache-Control", "private, no-cache").putHeader("Vary", "Authorization, X-Api-Key, Accept");
    }
}
