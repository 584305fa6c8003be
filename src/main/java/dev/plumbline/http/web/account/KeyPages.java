package dev.plumbline.http.web.account;

import dev.plumbline.account.ApiKey;
import dev.plumbline.account.ApiKeyCreation;
import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.http.api.account.AccountService;
import dev.plumbline.http.body.FormBody;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.WebRoutes;
import dev.plumbline.http.web.layout.FormErrors;
import dev.plumbline.http.web.layout.PageRenderer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** {@code /account/keys}: making a key, which is shown once, and revoking one. */
public final class KeyPages implements PageRoutes.Pages {
    private static final List<String> FIELDS = List.of("name", "scopes", "expires_at");
    private static final Set<String> DAYS = Set.of("7", "30", "90", "365");

    private final PageRenderer pages;
    private final ProblemResponder problems;
    private final AccountService calls;
    private final AccountAccess members;
    private final AccountPages home;
    private final JsonBody createKey;
    private final Clock clock;

    public KeyPages(WebRoutes.Dependencies needs) {
        this.pages = needs.pages();
        this.problems = needs.problems();
        this.calls = needs.account();
        this.members = new AccountAccess(needs);
        this.home = new AccountPages(needs);
        this.createKey = needs.body("createKey");
        this.clock = needs.clock();
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.post(
                "/account/keys",
                "create-key",
                ctx -> members.form(ctx, AccountPages.HOME, (who, form) -> create(ctx, who, form)));
        routes.get(
                "/account/keys/:id/revoke",
                "revoke-key",
                ctx -> members.only(ctx, AccountPages.HOME, who -> ask(ctx, who)));
        routes.post(
                "/account/keys/:id/revoke",
                "revoke-key",
                ctx -> members.only(ctx, AccountPages.HOME, who -> revoke(ctx, who)));
    }

    /**
     * A key that was made just now.
     *
     * @param secret the key itself, for this one page
     * @param job the body of a request to try it with
     */
    public record NewKeyView(AccountView.Key key, String secret, String curl) {
        /** Hides the secret. */
        @Override
        public String toString() {
            return "NewKey[" + key.id() + "]";
        }
    }

    private void create(RoutingContext ctx, AuthenticatedUser who, FormBody form) {
        String days = DAYS.contains(form.text("days")) ? form.text("days") : "";
        JsonObject given = new JsonObject()
                .put("name", form.text("name").strip())
                .put("scopes", new JsonArray(List.copyOf(form.all("scopes"))));
        if (!days.isEmpty()) {
            given.put(
                    "expires_at",
                    clock.instant().plus(Long.parseLong(days), ChronoUnit.DAYS).toString());
        }
        Consumer<Problem> refused = problem -> {
            FormErrors wrong = FormErrors.of(problem, FIELDS).saying("scopes", "Choose what the key may be used for.");
            AccountView.KeyForm sent = new AccountView.KeyForm(form.text("name"), form.all("scopes"), days, wrong);
            home.show(ctx, who, problem.status(), new AccountPages.Forms(sent, FormErrors.NOTHING));
        };
        Problem fault = createKey.fault(given);
        if (fault != null) {
            refused.accept(fault);
        } else {
            calls.createKey(ctx, who, given, created -> shown(ctx, who, created), refused);
        }
    }

    private void shown(RoutingContext ctx, AuthenticatedUser who, ApiKeyCreation.Created created) {
        String curl = "curl -H 'Authorization: Bearer "
                + created.secret()
                + "' '"
                + pages.site().publicUrl()
                + "/api/v1/jobs'";
        pages.show(
                ctx,
                201,
                AccountPages.page(who, "Your new key"),
                "newkey",
                new NewKeyView(AccountView.Key.of(created.key(), clock.instant()), created.secret(), curl));
    }

    private void ask(RoutingContext ctx, AuthenticatedUser who) {
        String id = ctx.pathParam("id");
        calls.keys(who)
                .onSuccess(keys -> {
                    ApiKey key = keys.stream()
                            .filter(k -> Long.toString(k.id()).equals(id))
                            .findFirst()
                            .orElse(null);
                    if (key == null) {
                        problems.send(ctx, noSuchKey());
                    } else {
                        pages.show(
                                ctx,
                                AccountPages.page(who, "Revoke a key"),
                                "keyrevocation",
                                AccountView.Key.of(key, clock.instant()));
                    }
                })
                .onFailure(ctx::fail);
    }

    private void revoke(RoutingContext ctx, AuthenticatedUser who) {
        calls.revokeKey(
                ctx,
                who,
                ctx.pathParam("id"),
                () -> pages.redirect(ctx, AccountPages.HOME + "?done=revoked"),
                problem -> problems.send(ctx, noSuchKey()));
    }

    private static Problem noSuchKey() {
        return Problem.notFound("Your account has no such key; the account page lists those it has.");
    }
}
