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
 * Finds out who is signed in, by the session cookie of a request, and answers those who may not:
 * 401 without a good session, 403 for what a page elsewhere has sent, 503 while the database is
 * away.
 */
public final class SessionHandler {
    private final SessionService sessions;
    private final SessionCookies cookies;
    private final OriginValidator origins;
    private final ProblemResponder problems;
    private final Clock clock;

    /**
     * @param publicUrl under which people reach the service
     */
    public SessionHandler(SessionService sessions, String publicUrl, ProblemResponder problems, Clock clock) {
        this.sessions = sessions;
        this.cookies = new SessionCookies(publicUrl);
        this.origins = new OriginValidator(publicUrl);
        this.problems = problems;
        this.clock = clock;
    }

    /**
     * Goes on with whoever is signed in; otherwise the request is answered. The answer may get a
     * cookie with a new token.
     *
     * @param then called at most once, on the context of the request
     */
    public void signedIn(RoutingContext ctx, Consumer<AuthenticatedUser> then) {
        visitor(ctx, who -> {
            if (who == null) {
                problems.send(ctx, nobody());
            } else {
                then.accept(who);
            }
        });
    }

    /**
     * As {@link #signedIn(RoutingContext, Consumer)}, with the body of the request. Who is signed in
     * is asked again when it has come, for the session may have ended meanwhile.
     */
    public void signedIn(RoutingContext ctx, JsonBody body, BiConsumer<AuthenticatedUser, JsonObject> then) {
        signedIn(ctx, before -> body.read(ctx, given -> stillSignedIn(ctx, before, who -> then.accept(who, given))));
    }

    /**
     * Goes on if the session has not ended since, for whoever has waited for a body; otherwise the
     * request is answered.
     *
     * @param then called at most once, on the context of the request
     */
    public void stillSignedIn(RoutingContext ctx, AuthenticatedUser before, Consumer<AuthenticatedUser> then) {
        sessions.reload(before).onComplete(now -> {
            try {
                if (now.failed()) {
                    ctx.fail(now.cause());
                } else if (now.result() == null) {
                    cookies.clear(ctx.response());
                    problems.send(ctx, nobody());
                } else {
                    then.accept(now.result());
                }
            } catch (RuntimeException fault) {
                ctx.fail(fault);
            }
        });
    }

    /** As {@link #signedIn(RoutingContext, Consumer)}, and with null for whoever is not signed in. */
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
        sessions.authenticate(token).onComplete(resumed -> {
            try {
                if (resumed.failed()) {
                    ctx.fail(resumed.cause());
                } else {
                    carry(ctx, resumed.result());
                    then.accept(resumed.result());
                }
            } catch (RuntimeException fault) {
                ctx.fail(fault);
            }
        });
    }

    private void carry(RoutingContext ctx, @Nullable AuthenticatedUser who) {
        if (who == null) {
            cookies.clear(ctx.response());
        } else if (who.newToken() != null) {
            set(ctx.response(), who.session(), who.newToken());
        }
    }

    /** Whether a request may go on; one that a page elsewhere has sent is answered. */
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

    /** Has the client carry the session that has just begun. */
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

    /** Has the client carry no session any more. */
    public void signOut(HttpServerResponse response) {
        cookies.clear(response);
    }

    private static Problem nobody() {
        return Problem.of(401, "not-signed-in", "Nobody is signed in", "Sign in: POST /api/v1/session.")
                .with("WWW-Authenticate", CHALLENGE);
    }

    /** RFC 9110, 15.5.2 wants one; what no browser knows shows no dialog. */
    public static final String CHALLENGE = "Session realm=\"plumbline\"";
}
