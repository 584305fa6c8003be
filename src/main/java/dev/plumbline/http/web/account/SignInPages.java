package dev.plumbline.http.web.account;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.api.account.AccountService;
import dev.plumbline.http.body.FormBody;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.layout.FormErrors;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.LocalPath;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.function.Consumer;

/** {@code /sign-in}, {@code /sign-up} and {@code /sign-out}, with the operations of the API. */
public final class SignInPages implements PageRoutes.Pages {
    private static final List<String> FIELDS = List.of("email", "password");
    private static final String DEFAULT_NEXT = AccountPages.PATH;

    private final PageRenderer pages;
    private final AccountService accounts;
    private final AccountAccess access;
    private final JsonBody signIn;
    private final JsonBody signUp;

    public SignInPages(
            PageRenderer pages,
            AccountService accounts,
            ApiContract contract,
            RequestBodyReader bodies,
            AccountAccess access) {
        this.pages = pages;
        this.accounts = accounts;
        this.access = access;
        this.signIn = new JsonBody(bodies, contract, "signIn");
        this.signUp = new JsonBody(bodies, contract, "signUp");
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get("/sign-in", "sign-in", ctx -> show(ctx, false));
        routes.get("/sign-up", "sign-up", ctx -> show(ctx, true));
        routes.post("/sign-in", "sign-in", ctx -> access.form(ctx, form -> submit(ctx, form, false)));
        routes.post("/sign-up", "sign-up", ctx -> access.form(ctx, form -> submit(ctx, form, true)));
        routes.post("/sign-out", "sign-out", this::signOut);
    }

    /**
     * The sign-in or sign-up form.
     *
     * @param signUp whether the form creates an account
     * @param signUpEnabled whether users can create accounts
     * @param email the submitted address
     * @param next the path to which a sign-in redirects
     */
    public record SignInForm(boolean signUp, boolean signUpEnabled, String email, String next, FormErrors errors) {

        public String otherForm() {
            String path = signUp ? "/sign-in" : "/sign-up";
            return next.equals(DEFAULT_NEXT) ? path : path + "?next=" + Links.encoded(next);
        }
    }

    private void show(RoutingContext ctx, boolean signUp) {
        String next = LocalPath.or(DEFAULT_NEXT, ctx.queryParams().get("next"));
        accounts.sessionHandler().authenticateOptional(ctx, user -> {
            if (user != null) {
                pages.redirect(ctx, next);
            } else {
                show(ctx, 200, new SignInForm(signUp, accounts.isSignUpOpen(), "", next, FormErrors.NONE));
            }
        });
    }

    private void submit(RoutingContext ctx, FormBody form, boolean signUp) {
        JsonObject given =
                new JsonObject().put("email", form.text("email").strip()).put("password", form.text("password"));
        String next = LocalPath.or(DEFAULT_NEXT, form.text("next"));
        Consumer<Problem> rejected = error -> {
            error.headers().forEach(ctx.response()::putHeader);
            FormErrors errors = FormErrors.of(error, FIELDS);
            String email = given.getString("email");
            show(ctx, error.status(), new SignInForm(signUp, accounts.isSignUpOpen(), email, next, errors));
        };
        Future<AuthenticatedUser> user = signUp
                ? this.signUp.validate(given).compose(valid -> accounts.signUp(ctx, valid))
                : signIn.validate(given).compose(valid -> accounts.signIn(ctx, valid));
        RequestFutures.handle(ctx, user, signedIn -> pages.redirect(ctx, next), rejected);
    }

    private void signOut(RoutingContext ctx) {
        accounts.sessionHandler()
                .authenticateOptional(
                        ctx,
                        user -> RequestFutures.handle(
                                ctx, accounts.signOut(ctx, user), done -> pages.redirect(ctx, "/sign-in")));
    }

    private void show(RoutingContext ctx, int status, SignInForm form) {
        String title = form.signUp() ? "Create account" : "Sign in";
        PageInfo page = PageInfo.unlisted(
                title, "API keys and bulk checks require an account. Instant checks do not.", "account");
        pages.show(ctx, status, page, "signin", form);
    }
}
