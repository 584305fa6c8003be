package dev.plumbline.http.auth;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.account.SessionService;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.problem.RequestFutures;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates requests by session cookie. Sends 401 without a valid session, 403 for cross-origin requests, and 503
 * if the database is unavailable.
 */
public final class SessionHandler {
    /** The challenge required by RFC 9110, 15.5.2. Browsers do not show a dialog for an unknown scheme. */
    public static final String CHALLENGE = "Session realm=\"plumbline\"";

    private final SessionService sessions;
    private final SessionCookies cookies;
    private final OriginValidator origins;
    private final ProblemResponder problems;
    private final Clock clock;

    /** @param publicUrl the public base URL of the service */
    public SessionHandler(SessionService sessions, String publicUrl, ProblemResponder problems, Clock clock) {
        this.sessions = sessions;
        this.cookies = new SessionCookies(publicUrl);
        this.origins = new OriginValidator(publicUrl);
        this.problems = problems;
        this.clock = clock;
    }

    /**
     * Authenticates the request; sends a problem without a valid session. The response can set a cookie with a rotated
     * token.
     *
     * @param next called at most once, on the context of the request
     */
    public void authenticate(RoutingContext ctx, Consumer<AuthenticatedUser> next) {
        authenticateOptional(ctx, user -> {
            if (user == null) {
                problems.send(ctx, signInRequired());
            } else {
                next.accept(user);
            }
        });
    }

    /**
     * As {@link #authenticate(RoutingContext, Consumer)}, with the request body. The session is checked again after the
     * body is received.
     */
    public void authenticate(RoutingContext ctx, JsonBody body, BiConsumer<AuthenticatedUser, JsonObject> next) {
        authenticate(
                ctx, before -> body.read(ctx, json -> authenticateAgain(ctx, before, user -> next.accept(user, json))));
    }

    /**
     * Checks the session again, for requests that waited for a body. Sends a problem if it has ended.
     *
     * @param next called at most once, on the context of the request
     */
    public void authenticateAgain(RoutingContext ctx, AuthenticatedUser before, Consumer<AuthenticatedUser> next) {
        RequestFutures.handle(ctx, sessions.reload(before), user -> {
            if (user == null) {
                cookies.clear(ctx.response());
                problems.send(ctx, signInRequired());
            } else {
                next.accept(user);
            }
        });
    }

    /** As {@link #authenticate(RoutingContext, Consumer)}, but passes null without a valid session. */
    public void authenticateOptional(RoutingContext ctx, Consumer<@Nullable AuthenticatedUser> next) {
        if (!validateOrigin(ctx)) {
            return;
        }
        if (!cookies.isPresent(ctx.request())) {
            next.accept(null);
            return;
        }
        String token = cookies.token(ctx.request());
        if (token == null) {
            cookies.clear(ctx.response());
            next.accept(null);
            return;
        }
        RequestFutures.handle(ctx, sessions.authenticate(token), user -> {
            if (user == null) {
                cookies.clear(ctx.response());
            } else {
                setCookie(ctx.response(), user);
            }
            next.accept(user);
        });
    }

    /**
     * Passes the user of a page that all clients can read; null without a valid session, also if the session cannot be
     * checked because the database is unavailable.
     *
     * @param next called once
     */
    public void identify(RoutingContext ctx, Consumer<@Nullable AuthenticatedUser> next) {
        String token = cookies.token(ctx.request());
        if (token == null) {
            next.accept(null);
            return;
        }
        sessions.authenticate(token).onComplete((user, failure) -> {
            if (user != null) {
                setCookie(ctx.response(), user);
            }
            RequestFutures.run(ctx, () -> next.accept(user));
        });
    }

    /** Returns whether the request comes from a page of the service. If not, sends a problem. */
    public boolean validateOrigin(RoutingContext ctx) {
        HttpMethod method = ctx.request().method();
        if (method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD)) {
            return true;
        }
        Problem rejection = origins.rejection(ctx.request(), cookies.isPresent(ctx.request()));
        if (rejection != null) {
            problems.send(ctx, rejection);
        }
        return rejection == null;
    }

    /** Sets the cookie of a session that has a new token. */
    public void setCookie(HttpServerResponse response, AuthenticatedUser user) {
        String token = user.newToken();
        if (token != null) {
            Duration lifetime = Duration.between(clock.instant(), user.session().expiresAt());
            cookies.set(response, token, lifetime.toSeconds());
        }
    }

    public void clearCookie(HttpServerResponse response) {
        cookies.clear(response);
    }

    private static Problem signInRequired() {
        return Problem.of(
                        401,
                        "not-signed-in",
                        "Sign-in required",
                        "The request does not have a valid session. Sign in with POST /api/v1/session.")
                .with("WWW-Authenticate", CHALLENGE);
    }
}
