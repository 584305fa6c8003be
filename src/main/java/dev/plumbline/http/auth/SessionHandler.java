package dev.plumbline.http.auth;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.account.Session;
import dev.plumbline.account.SessionService;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
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
 * Authenticates requests by session cookie. Sends 401 without a valid session, 403 for cross-origin
 * requests, and 503 if the database is unavailable.
 */
public final class SessionHandler {
    private final SessionService sessions;
    private final SessionCookies cookies;
    private final OriginValidator origins;
    private final ProblemResponder problems;
    private final Clock clock;

    /**
     * @param publicUrl the public base URL of the service
     */
    public SessionHandler(SessionService sessions, String publicUrl, ProblemResponder problems, Clock clock) {
        this.sessions = sessions;
        this.cookies = new SessionCookies(publicUrl);
        this.origins = new OriginValidator(publicUrl);
        this.problems = problems;
        this.clock = clock;
    }

    /**
     * Authenticates the request; sends a problem without a valid session. The response can set a
     * cookie with a rotated token.
     *
     * @param then called at most once, on the context of the request
     */
    public void signedIn(RoutingContext ctx, Consumer<AuthenticatedUser> then) {
        visitor(ctx, who -> {
            if (who == null) {
                problems.send(ctx, signInRequired());
            } else {
                then.accept(who);
            }
        });
    }

    /**
     * As {@link #signedIn(RoutingContext, Consumer)}, with the request body. The session is checked
     * again after the body is received.
     */
    public void signedIn(RoutingContext ctx, JsonBody body, BiConsumer<AuthenticatedUser, JsonObject> then) {
        signedIn(ctx, before -> body.read(ctx, given -> stillSignedIn(ctx, before, who -> then.accept(who, given))));
    }

    /**
     * Checks the session again, for requests that waited for a body. Sends a problem if it has ended.
     *
     * @param then called at most once, on the context of the request
     */
    public void stillSignedIn(RoutingContext ctx, AuthenticatedUser before, Consumer<AuthenticatedUser> then) {
        sessions.again(before).onComplete(now -> {
            try {
                if (now.failed()) {
                    ctx.fail(now.cause());
                } else if (now.result() == null) {
                    cookies.clear(ctx.response());
                    problems.send(ctx, signInRequired());
                } else {
                    then.accept(now.result());
                }
            } catch (RuntimeException fault) {
                ctx.fail(fault);
            }
        });
    }

    /** As {@link #signedIn(RoutingContext, Consumer)}, but passes null without a valid session. */
    public void visitor(RoutingContext ctx, Consumer<@Nullable AuthenticatedUser> then) {
        if (!cameFromHere(ctx)) {
            return;
        }
        if (!cookies.isThere(ctx.request())) {
            then.accept(null);
            return;
        }
        String token = cookies.token(ctx.request());
        if (token == null) {
            cookies.clear(ctx.response());
            then.accept(null);
            return;
        }
        sessions.resume(token).onComplete(resumed -> {
            try {
                if (resumed.failed()) {
                    ctx.fail(resumed.cause());
                } else {
                    updateCookie(ctx, resumed.result());
                    then.accept(resumed.result());
                }
            } catch (RuntimeException fault) {
                ctx.fail(fault);
            }
        });
    }

    private void updateCookie(RoutingContext ctx, @Nullable AuthenticatedUser who) {
        if (who == null) {
            cookies.clear(ctx.response());
        } else if (who.newToken() != null) {
            set(ctx.response(), who.session(), who.newToken());
        }
    }

    /** Returns whether the request comes from a page of the service. If not, sends a problem. */
    public boolean cameFromHere(RoutingContext ctx) {
        HttpMethod method = ctx.request().method();
        if (method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD)) {
            return true;
        }
        Problem refusal = origins.refusal(ctx.request(), cookies.isThere(ctx.request()));
        if (refusal != null) {
            problems.send(ctx, refusal);
        }
        return refusal == null;
    }

    /** Sets the cookie of a new session. */
    public void signIn(HttpServerResponse response, AuthenticatedUser who) {
        if (who.newToken() != null) {
            set(response, who.session(), who.newToken());
        }
    }

    private void set(HttpServerResponse response, Session session, String token) {
        cookies.set(
                response,
                token,
                Duration.between(clock.instant(), session.expiresAt()).toSeconds());
    }

    /** Deletes the session cookie. */
    public void signOut(HttpServerResponse response) {
        cookies.clear(response);
    }

    private static Problem signInRequired() {
        return Problem.of(
                        401,
                        "not-signed-in",
                        "Sign-in required",
                        "The request has no valid session. Sign in with POST /api/v1/session.")
                .with("WWW-Authenticate", CHALLENGE);
    }

    /**
     * The challenge required by RFC 9110, 15.5.2. Browsers do not show a dialog for an unknown
     * scheme.
     */
    public static final String CHALLENGE = "Session realm=\"plumbline\"";
}
