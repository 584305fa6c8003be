package dev.plumbline.http.web.account;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.http.api.account.AccountService;
import dev.plumbline.http.body.FormBody;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.WebRoutes;
import dev.plumbline.http.web.layout.FormErrors;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.LocalPath;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.function.Consumer;

/**
 * {@code /sign-in}, {@code /sign-up} and {@code /sign-out}: forms, by the same calls as the API.
 */
public final class SignInPages implements PageRoutes.Pages {
    private static final List<String> FIELDS = List.of("email", "password");
    private static final String ACCOUNT = "/account";

    private final PageRenderer pages;
    private final AccountService calls;
    private final AccountAccess members;
    private final JsonBody signIn;
    private final JsonBody signUp;

    public SignInPages(WebRoutes.Dependencies needs) {
        this.pages = needs.pages();
        this.calls = needs.account();
        this.members = new AccountAccess(needs);
        this.signIn = needs.body("signIn");
        this.signUp = needs.body("signUp");
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get("/sign-in", "sign-in", ctx -> ask(ctx, false));
        routes.get("/sign-up", "sign-up", ctx -> ask(ctx, true));
        routes.post("/sign-in", "sign-in", ctx -> members.form(ctx, form -> sent(ctx, form, false)));
        routes.post("/sign-up", "sign-up", ctx -> members.form(ctx, form -> sent(ctx, form, true)));
        routes.post("/sign-out", "sign-out", this::signOut);
    }

    /**
     * The form.
     *
     * @param up whether it makes an account
     * @param open whether strangers may make one
     * @param email what was typed before
     * @param next where to go on to
     */
    public record SignInForm(boolean up, boolean open, String email, String next, FormErrors wrong) {

        /** Where the other form is. */
        public String other() {
            String path = up ? "/sign-in" : "/sign-up";
            return next.equals(ACCOUNT) ? path : path + "?next=" + Links.encoded(next);
        }
    }

    private void ask(RoutingContext ctx, boolean up) {
        String next = LocalPath.or(ACCOUNT, ctx.queryParams().get("next"));
        calls.sessionHandler().authenticateOptional(ctx, who -> {
            if (who != null) {
                pages.redirect(ctx, next);
            } else {
                show(ctx, 200, new SignInForm(up, calls.isSignUpOpen(), "", next, FormErrors.NOTHING));
            }
        });
    }

    private void sent(RoutingContext ctx, FormBody form, boolean up) {
        JsonObject given =
                new JsonObject().put("email", form.text("email").strip()).put("password", form.text("password"));
        String next = LocalPath.or(ACCOUNT, form.text("next"));
        Consumer<Problem> refused = problem -> {
            problem.headers().forEach(ctx.response()::putHeader);
            FormErrors wrong = FormErrors.of(problem, FIELDS);
            String email = given.getString("email");
            show(ctx, problem.status(), new SignInForm(up, calls.isSignUpOpen(), email, next, wrong));
        };
        Problem fault = (up ? signUp : signIn).fault(given);
        Consumer<AuthenticatedUser> welcome = who -> pages.redirect(ctx, next);
        if (fault != null) {
            refused.accept(fault);
        } else if (up) {
            calls.signUp(ctx, given, welcome, refused);
        } else {
            calls.signIn(ctx, given, welcome, refused);
        }
    }

    private void signOut(RoutingContext ctx) {
        calls.sessionHandler()
                .authenticateOptional(ctx, who -> calls.signOut(ctx, who, () -> pages.redirect(ctx, "/sign-in")));
    }

    private void show(RoutingContext ctx, int status, SignInForm entry) {
        String title = entry.up() ? "Make an account" : "Sign in";
        PageInfo page = PageInfo.unlisted(
                title, "For API keys and for checks in bulk; single checks need no account.", "account");
        pages.show(ctx, status, page, "signin", entry);
    }
}
