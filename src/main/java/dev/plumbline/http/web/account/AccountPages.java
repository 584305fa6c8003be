package dev.plumbline.http.web.account;

import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.ApiKey;
import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Session;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.api.account.AccountService;
import dev.plumbline.http.body.FormBody;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.layout.DisplayedLimits;
import dev.plumbline.http.web.layout.FormErrors;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code /account}: the plan, API keys, usage, password and sessions of the signed-in user. */
public final class AccountPages implements PageRoutes.Pages {
    static final String PATH = "/account";

    private static final long USAGE_TIMEOUT_MS = 5_000;
    private static final List<String> PASSWORD_FIELDS = List.of("current_password", "new_password");

    /** The messages after a redirect, by the parameter {@code done}. */
    private static final Map<String, String> NOTICES = Map.of(
            "password", "Password changed. All other sessions have been signed out.",
            "ended", "The session has been ended.",
            "revoked", "The API key has been revoked.");

    private final PageRenderer pages;
    private final AccountService accounts;
    private final AccountAccess access;
    private final JsonBody changePassword;
    private final MessageBus bus;
    private final DisplayedLimits limits;
    private final Clock clock;

    public AccountPages(
            PageRenderer pages,
            AccountService accounts,
            ApiContract contract,
            RequestBodyReader bodies,
            MessageBus bus,
            DisplayedLimits limits,
            Clock clock,
            AccountAccess access) {
        this.pages = pages;
        this.accounts = accounts;
        this.access = access;
        this.changePassword = new JsonBody(bodies, contract, "changePassword");
        this.bus = bus;
        this.limits = limits;
        this.clock = clock;
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get(PATH, "account", ctx -> access.signedIn(ctx, PATH, user -> show(ctx, user, 200, Forms.EMPTY)));
        routes.post(
                "/account/password",
                "password",
                ctx -> access.form(ctx, PATH, (user, form) -> password(ctx, user, form)));
        routes.post(
                "/account/sessions/:id/end",
                "end-session",
                ctx -> access.signedIn(ctx, PATH, user -> endSession(ctx, user)));
        routes.post(
                "/account/sign-out-everywhere",
                "sign-out-everywhere",
                ctx -> access.signedIn(
                        ctx,
                        PATH,
                        user -> RequestFutures.handle(
                                ctx, accounts.signOutEverywhere(ctx, user), done -> pages.redirect(ctx, "/sign-in"))));
    }

    /** The submitted forms with their errors. */
    record Forms(AccountView.KeyForm key, FormErrors password) {
        static final Forms EMPTY = new Forms(AccountView.KeyForm.EMPTY, FormErrors.NONE);
    }

    /** Sends the page with the given state of its forms. */
    void show(RoutingContext ctx, AuthenticatedUser user, int status, Forms forms) {
        Future<List<ApiKey>> keys = accounts.keys(user);
        Future<List<Session>> sessions = accounts.sessions(user);
        Future<JobMessage.@Nullable Usage> usage = usage(user);
        RequestFutures.handle(ctx, Future.all(keys, sessions, usage), all -> {
            AccountView view = view(ctx, user, keys.result(), sessions.result(), usage.result(), forms);
            pages.show(ctx, status, page(user, "Account"), "account", view);
        });
    }

    static PageInfo page(AuthenticatedUser user, String title) {
        return PageInfo.unlisted(title, "API keys, usage, password and sessions.", "account")
                .withUser(user.account().email());
    }

    /** Null if the usage is unavailable. The rest of the page does not depend on it. */
    private Future<JobMessage.@Nullable Usage> usage(AuthenticatedUser user) {
        return bus.request(new JobMessage.ReadUsage(user.account().id()), JobMessage.UsageReply.class, USAGE_TIMEOUT_MS)
                .map(reply -> reply instanceof JobMessage.Usage available ? available : null)
                .otherwise((JobMessage.Usage) null);
    }

    private AccountView view(
            RoutingContext ctx,
            AuthenticatedUser user,
            List<ApiKey> keys,
            List<Session> sessions,
            JobMessage.@Nullable Usage usage,
            Forms forms) {
        Instant now = clock.instant();
        List<AccountView.Key> views =
                keys.stream().map(key -> AccountView.Key.of(key, now)).toList();
        String notice = ctx.queryParams().get("done");
        return new AccountView(
                user.account().email(),
                user.account().plan().id(),
                user.account().plan() == Plan.PRO,
                AccountView.timestamp(user.account().createdAt()),
                views,
                (int) views.stream().filter(AccountView.Key::active).count(),
                AccountAdministration.MAX_KEYS,
                forms.key,
                sessions.stream()
                        .map(session -> AccountView.SessionView.of(session, user))
                        .toList(),
                forms.password,
                usage == null ? null : UsageView.of(usage, limits, now),
                notice == null ? null : NOTICES.get(notice));
    }

    private void endSession(RoutingContext ctx, AuthenticatedUser user) {
        RequestFutures.handle(
                ctx,
                accounts.endSession(ctx, user, ctx.pathParam("id")),
                current -> pages.redirect(ctx, current ? "/sign-in" : PATH + "?done=ended"));
    }

    private void password(RoutingContext ctx, AuthenticatedUser user, FormBody form) {
        JsonObject given = new JsonObject()
                .put("current_password", form.text("current_password"))
                .put("new_password", form.text("new_password"));
        Consumer<Problem> rejected = error -> {
            error.headers().forEach(ctx.response()::putHeader);
            FormErrors errors = FormErrors.of(error, PASSWORD_FIELDS);
            show(ctx, user, error.status(), new Forms(AccountView.KeyForm.EMPTY, errors));
        };
        RequestFutures.handle(
                ctx,
                changePassword.validate(given).compose(valid -> accounts.changePassword(ctx, user, valid)),
                done -> pages.redirect(ctx, PATH + "?done=password"),
                rejected);
    }
}
