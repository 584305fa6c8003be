package dev.plumbline.http.web.account;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.account.Plan;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.auth.SessionHandler;
import dev.plumbline.http.body.FormBody;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.web.WebRoutes;
import dev.plumbline.http.web.job.BulkPage;
import dev.plumbline.http.web.layout.LocalPath;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Lets those in whom a page is for, and leads the others to where they become one of them. */
public final class AccountAccess {
    private final PageRenderer pages;
    private final ProblemResponder problems;
    private final SessionHandler people;
    private final RequestBodyReader bodies;

    public AccountAccess(WebRoutes.Dependencies needs) {
        this.pages = needs.pages();
        this.problems = needs.problems();
        this.people = needs.account().sessionHandler();
        this.bodies = needs.bodies();
    }

    /**
     * Somebody who may not have jobs yet.
     *
     * @param signedIn whether they are known, and only their plan is in the way
     * @param next where they wanted to go
     */
    public record AccessRequiredView(boolean signedIn, String next, int mostLines) {

        public String signIn() {
            return LocalPath.signIn(next);
        }
    }

    /**
     * Goes on with whoever is signed in; the others are sent to sign in, and led back. Nothing keeps
     * the answer.
     *
     * @param home the page to come back to from what cannot be opened by a link
     * @param then called at most once, on the context of the request
     */
    void only(RoutingContext ctx, String home, Consumer<AuthenticatedUser> then) {
        neverKept(ctx);
        people.authenticateOptional(ctx, who -> {
            if (who != null) {
                then.accept(who);
            } else {
                boolean link = !ctx.request().method().equals(HttpMethod.POST);
                pages.redirect(ctx, LocalPath.signIn(link ? ctx.request().uri() : home));
            }
        });
    }

    /** As {@link #only}, with the form that they have sent. */
    void form(RoutingContext ctx, String home, BiConsumer<AuthenticatedUser, FormBody> then) {
        // who is signed in is asked when the form has come: they may have signed out meanwhile
        form(ctx, form -> only(ctx, home, who -> then.accept(who, form)));
    }

    /** The form that whoever it is has sent from a page of ours; nothing keeps the answer. */
    void form(RoutingContext ctx, Consumer<FormBody> then) {
        neverKept(ctx);
        if (people.validateOrigin(ctx)) {
            FormBody.read(ctx, bodies, problems, then);
        }
    }

    /**
     * Goes on with whoever is signed in and may have jobs; the others are shown how to become one of
     * them. Nothing keeps what only they may see; the form for many lines is kept, so that going back
     * to it loses nothing that was typed.
     *
     * @param next where signing in leads
     * @param then called at most once, on the context of the request
     */
    public void pro(RoutingContext ctx, String next, Consumer<AuthenticatedUser> then) {
        if (!told(ctx, next)) {
            neverKept(ctx);
        }
        people.authenticateOptional(ctx, who -> {
            if (who == null) {
                if (!told(ctx, next)) {
                    ctx.response().putHeader("WWW-Authenticate", SessionHandler.CHALLENGE);
                }
                refuse(ctx, told(ctx, next) ? 200 : 401, false, next);
            } else if (who.account().plan() != Plan.PRO) {
                refuse(ctx, told(ctx, next) ? 200 : 403, true, next);
            } else {
                then.accept(who);
            }
        });
    }

    /** The page that everybody is led to tells what it takes; that is no error. */
    private static boolean told(RoutingContext ctx, String next) {
        return next.equals(BulkPage.PATH) && ctx.request().method().equals(HttpMethod.GET);
    }

    private void refuse(RoutingContext ctx, int status, boolean signedIn, String next) {
        PageInfo page = PageInfo.unlisted("Bulk checks", "Check up to 500 lines at once, in the background.", "bulk");
        pages.show(
                ctx, status, page, "accessrequired", new AccessRequiredView(signedIn, next, PageJobService.MAX_LINES));
    }

    /** Once more, for whoever has waited for a body: the session may have ended meanwhile. */
    public void still(RoutingContext ctx, AuthenticatedUser before, Consumer<AuthenticatedUser> then) {
        people.authenticateAgain(ctx, before, then);
    }

    private static void neverKept(RoutingContext ctx) {
        ctx.addHeadersEndHandler(head -> ctx.response().putHeader("Cache-Control", "private, no-store"));
    }
}
