package dev.plumbline.http.web.account;

import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.ApiKey;
import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Session;
import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.http.api.account.AccountService;
import dev.plumbline.http.body.FormBody;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.WebRoutes;
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

/** {@code /account}: plan, keys, usage, password and sessions of whoever is signed in. */
public final class AccountPages implements PageRoutes.Pages {
    static final String HOME = "/account";

    private static final long USAGE_TIMEOUT_MS = 5_000;
    private static final List<String> PASSWORDS = List.of("current_password", "new_password");

    /** What a redirect may say that was done. */
    private static final Map<String, String> DONE = Map.of(
            "password", "Your password was changed. Everybody else who was signed in is signed out.",
            "ended", "It is signed out there.",
            "revoked", "The key was revoked. It opens nothing any more.");

    private final PageRenderer pages;
    private final ProblemResponder problems;
    private final AccountService calls;
    private final AccountAccess members;
    private final JsonBody changePassword;
    private final MessageBus bus;
    private final WebRoutes.Limits limits;
    private final Clock clock;

    public AccountPages(WebRoutes.Dependencies needs) {
        this.pages = needs.pages();
        this.problems = needs.problems();
        this.calls = needs.account();
        this.members = new AccountAccess(needs);
        this.changePassword = needs.body("changePassword");
        this.bus = needs.bus();
        this.limits = needs.limits();
        this.clock = needs.clock();
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get(HOME, "account", ctx -> members.only(ctx, HOME, who -> show(ctx, who, 200, Forms.UNTOUCHED)));
        routes.post(
                "/account/password",
                "password",
                ctx -> members.form(ctx, HOME, (who, form) -> password(ctx, who, form)));
        routes.post(
                "/account/sessions/:id/end",
                "end-session",
                ctx -> members.only(ctx, HOME, who -> endSession(ctx, who)));
        routes.post(
                "/account/sign-out-everywhere",
                "sign-out-everywhere",
                ctx -> members.only(
                        ctx, HOME, who -> calls.signOutEverywhere(ctx, who, () -> pages.redirect(ctx, "/sign-in"))));
    }

    /** The forms of the page as they were sent last. */
    record Forms(AccountView.KeyForm key, FormErrors password) {
        static final Forms UNTOUCHED = new Forms(AccountView.KeyForm.EMPTY, FormErrors.NOTHING);
    }

    /** Shows the page, with what is wrong in one of its forms. */
    void show(RoutingContext ctx, AuthenticatedUser who, int status, Forms forms) {
        Future<List<ApiKey>> keys = calls.keys(who);
        Future<List<Session>> sessions = calls.sessions(who);
        Future<JobMessage.@Nullable Usage> usage = usage(who);
        Future.all(keys, sessions, usage)
                .onSuccess(all -> {
                    try {
                        AccountView view = view(ctx, who, keys.result(), sessions.result(), usage.result(), forms);
                        pages.show(ctx, status, page(who, "Your account"), "account", view);
                    } catch (RuntimeException fault) {
                        ctx.fail(fault);
                    }
                })
                .onFailure(ctx::fail);
    }

    static PageInfo page(AuthenticatedUser who, String title) {
        return PageInfo.unlisted(title, "Keys, usage, password and sessions.", "account")
                .of(who.account().email());
    }

    /** The page is of use without it. */
    private Future<JobMessage.@Nullable Usage> usage(AuthenticatedUser who) {
        return bus.request(
                        BusAddresses.JOB_USAGE,
                        new JobMessage.ReadUsage(who.account().id()),
                        JobMessage.UsageReply.class,
                        USAGE_TIMEOUT_MS)
                .map(reply -> reply instanceof JobMessage.Usage told ? told : null)
                .otherwise((JobMessage.Usage) null);
    }

    private AccountView view(
            RoutingContext ctx,
            AuthenticatedUser who,
            List<ApiKey> keys,
            List<Session> sessions,
            JobMessage.@Nullable Usage usage,
            Forms forms) {
        Instant now = clock.instant();
        List<AccountView.Key> shown =
                keys.stream().map(key -> AccountView.Key.of(key, now)).toList();
        String done = ctx.queryParams().get("done");
        return new AccountView(
                who.account().email(),
                who.account().plan().id(),
                who.account().plan() == Plan.PRO,
                AccountView.moment(who.account().createdAt()),
                shown,
                (int) shown.stream().filter(AccountView.Key::live).count(),
                AccountAdministration.MAX_KEYS,
                forms.key,
                sessions.stream()
                        .map(session -> AccountView.Place.of(session, who))
                        .toList(),
                forms.password,
                usage == null ? null : UsageView.of(usage, limits, now),
                done == null ? null : DONE.get(done));
    }

    private void endSession(RoutingContext ctx, AuthenticatedUser who) {
        calls.endSession(
                ctx,
                who,
                ctx.pathParam("id"),
                here -> pages.redirect(ctx, here ? "/sign-in" : HOME + "?done=ended"),
                problem -> problems.send(ctx, problem));
    }

    private void password(RoutingContext ctx, AuthenticatedUser who, FormBody form) {
        JsonObject given = new JsonObject()
                .put("current_password", form.text("current_password"))
                .put("new_password", form.text("new_password"));
        Consumer<Problem> refused = problem -> {
            problem.headers().forEach(ctx.response()::putHeader);
            FormErrors wrong = FormErrors.of(problem, PASSWORDS);
            show(ctx, who, problem.status(), new Forms(AccountView.KeyForm.EMPTY, wrong));
        };
        Problem fault = changePassword.fault(given);
        if (fault != null) {
            refused.accept(fault);
        } else {
            calls.changePassword(ctx, who, given, () -> pages.redirect(ctx, HOME + "?done=password"), refused);
        }
    }
}
