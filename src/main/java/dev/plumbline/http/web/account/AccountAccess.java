package dev.plumbline.http.web.account;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.account.Plan;
import dev.plumbline.http.api.account.AccountService;
import dev.plumbline.http.auth.SessionHandler;
import dev.plumbline.http.body.FormBody;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.web.layout.LocalPath;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Access control of pages: sign-in, plan, and the origin of submitted forms. */
public final class AccountAccess {
    private final PageRenderer pages;
    private final SessionHandler sessions;
    private final RequestBodyReader bodies;
    private final int maxLines;

    /** @param maxLines the maximum number of lines of a job */
    public AccountAccess(PageRenderer pages, AccountService accounts, RequestBodyReader bodies, int maxLines) {
        this.maxLines = maxLines;
        this.pages = pages;
        this.sessions = accounts.sessionHandler();
        this.bodies = bodies;
    }

    /**
     * The page that users without access to jobs see.
     *
     * @param signedIn whether only the plan is missing
     * @param next the requested path
     */
    public record AccessRequired(boolean signedIn, String next, int maxLines) {

        public String signIn() {
            return LocalPath.signIn(next);
        }
    }

    /**
     * Continues with the signed-in user. Other clients are redirected to the sign-in page and return after it. The
     * response is not stored in caches.
     *
     * @param home the page to which a client returns after a POST
     * @param next called at most once, on the context of the request
     */
    void signedIn(RoutingContext ctx, String home, Consumer<AuthenticatedUser> next) {
        noStore(ctx);
        sessions.authenticateOptional(ctx, user -> {
            if (user != null) {
                next.accept(user);
            } else {
                boolean post = ctx.request().method().equals(HttpMethod.POST);
                pages.redirect(ctx, LocalPath.signIn(post ? home : ctx.request().uri()));
            }
        });
    }

    /** As {@link #signedIn}, with the submitted form. The session is checked after the form has been received. */
    void form(RoutingContext ctx, String home, BiConsumer<AuthenticatedUser, FormBody> next) {
        form(ctx, form -> signedIn(ctx, home, user -> next.accept(user, form)));
    }

    /** Continues with a form from a page of this service. The response is not stored in caches. */
    public void form(RoutingContext ctx, Consumer<FormBody> next) {
        noStore(ctx);
        if (sessions.validateOrigin(ctx)) {
            FormBody.read(ctx, bodies, next);
        }
    }

    /**
     * Continues with a signed-in user of the plan Pro. Other clients see a page that describes the requirements, with
     * status 401 or 403. The response is not stored in caches.
     *
     * @param path to which a sign-in returns
     * @param next called at most once, on the context of the request
     */
    public void pro(RoutingContext ctx, String path, Consumer<AuthenticatedUser> next) {
        noStore(ctx);
        pro(ctx, path, false, next);
    }

    /**
     * As {@link #pro}, for a page that is linked for all users: status 200 for all clients. Browsers may store the
     * page, so going back in the history keeps the input.
     */
    public void proOrIntroduction(RoutingContext ctx, String path, Consumer<AuthenticatedUser> next) {
        pro(ctx, path, true, next);
    }

    private void pro(RoutingContext ctx, String path, boolean introduction, Consumer<AuthenticatedUser> next) {
        sessions.authenticateOptional(ctx, user -> {
            if (user == null) {
                if (!introduction) {
                    ctx.response().putHeader("WWW-Authenticate", SessionHandler.CHALLENGE);
                }
                accessRequired(ctx, introduction ? 200 : 401, false, path);
            } else if (user.account().plan() != Plan.PRO) {
                accessRequired(ctx, introduction ? 200 : 403, true, path);
            } else {
                next.accept(user);
            }
        });
    }

    /**
     * Continues with whether the client is a signed-in user of the plan Pro, for a page that all clients can read.
     *
     * @param next called once
     */
    public void whetherPro(RoutingContext ctx, Consumer<Boolean> next) {
        sessions.identify(
                ctx, user -> next.accept(user != null && user.account().plan() == Plan.PRO));
    }

    private void accessRequired(RoutingContext ctx, int status, boolean signedIn, String path) {
        PageInfo page = PageInfo.unlisted("Bulk checks", "Check up to " + maxLines + " targets in one job.", "bulk");
        pages.show(ctx, status, page, "bulkaccess", new AccessRequired(signedIn, path, maxLines));
    }

    /** Continues if the session is still valid after a request body has been received. */
    public void stillSignedIn(RoutingContext ctx, AuthenticatedUser user, Consumer<AuthenticatedUser> next) {
        sessions.authenticateAgain(ctx, user, next);
    }

    private static void noStore(RoutingContext ctx) {
        ctx.addHeadersEndHandler(head -> ctx.response().putHeader("Cache-Control", "private, no-store"));
    }
}
