package dev.plumbline.http.web.account;

import dev.plumbline.account.ApiKey;
import dev.plumbline.account.ApiKeyCreation;
import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.api.account.AccountService;
import dev.plumbline.http.body.FormBody;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.layout.FormErrors;
import dev.plumbline.http.web.layout.PageRenderer;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** {@code /account/keys}: creates an API key and displays it once; revokes a key. */
public final class KeyPages implements PageRoutes.Pages {
    private static final List<String> FIELDS = List.of("name", "scopes", "expires_at");
    private static final Set<String> LIFETIMES_DAYS = Set.of("7", "30", "90", "365");

    private final PageRenderer pages;
    private final ProblemResponder problems;
    private final AccountService accounts;
    private final AccountAccess access;
    private final AccountPages accountPage;
    private final JsonBody createKey;
    private final Clock clock;

    public KeyPages(
            PageRenderer pages,
            ProblemResponder problems,
            AccountService accounts,
            ApiContract contract,
            RequestBodyReader bodies,
            Clock clock,
            AccountAccess access,
            AccountPages accountPage) {
        this.pages = pages;
        this.problems = problems;
        this.accounts = accounts;
        this.access = access;
        this.accountPage = accountPage;
        this.createKey = new JsonBody(bodies, contract, "createKey");
        this.clock = clock;
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.post(
                "/account/keys",
                "create-key",
                ctx -> access.form(ctx, AccountPages.PATH, (user, form) -> create(ctx, user, form)));
        routes.get(
                "/account/keys/:id/revoke",
                "revoke-key",
                ctx -> access.signedIn(ctx, AccountPages.PATH, user -> confirmRevocation(ctx, user)));
        routes.post(
                "/account/keys/:id/revoke",
                "revoke-key",
                ctx -> access.signedIn(ctx, AccountPages.PATH, user -> revoke(ctx, user)));
    }

    /**
     * A new key.
     *
     * @param secret the key itself
     * @param curl a command that uses the key
     */
    public record CreatedKey(AccountView.Key key, String secret, String curl) {
        /** Omits the secret. */
        @Override
        public String toString() {
            return "CreatedKey[" + key.id() + "]";
        }
    }

    private void create(RoutingContext ctx, AuthenticatedUser user, FormBody form) {
        String days = LIFETIMES_DAYS.contains(form.text("days")) ? form.text("days") : "";
        JsonObject given = new JsonObject()
                .put("name", form.text("name").strip())
                .put("scopes", new JsonArray(List.copyOf(form.all("scopes"))));
        if (!days.isEmpty()) {
            given.put(
                    "expires_at",
                    clock.instant().plus(Long.parseLong(days), ChronoUnit.DAYS).toString());
        }
        Consumer<Problem> rejected = error -> {
            FormErrors errors = FormErrors.of(error, FIELDS).withMessage("scopes", "Select at least one scope.");
            AccountView.KeyForm sent = new AccountView.KeyForm(form.text("name"), form.all("scopes"), days, errors);
            accountPage.show(ctx, user, error.status(), new AccountPages.Forms(sent, FormErrors.NONE));
        };
        Future<ApiKeyCreation.Created> key =
                createKey.validate(given).compose(valid -> accounts.createKey(user, valid));
        RequestFutures.handle(ctx, key, created -> showCreated(ctx, user, created), rejected);
    }

    private void showCreated(RoutingContext ctx, AuthenticatedUser user, ApiKeyCreation.Created created) {
        String curl = "curl -H 'Authorization: Bearer %s' '%s/api/v1/jobs'"
                .formatted(created.secret(), pages.site().publicUrl());
        pages.show(
                ctx,
                201,
                AccountPages.page(user, "API key created"),
                "newkey",
                new CreatedKey(AccountView.Key.of(created.key(), clock.instant()), created.secret(), curl));
    }

    private void confirmRevocation(RoutingContext ctx, AuthenticatedUser user) {
        String id = ctx.pathParam("id");
        RequestFutures.handle(ctx, accounts.keys(user), keys -> {
            Optional<ApiKey> key =
                    keys.stream().filter(k -> Long.toString(k.id()).equals(id)).findFirst();
            if (key.isEmpty()) {
                problems.send(ctx, keyNotFound());
                return;
            }
            AccountView.Key view = AccountView.Key.of(key.get(), clock.instant());
            pages.show(ctx, AccountPages.page(user, "Revoke API key"), "keyrevocation", view);
        });
    }

    private void revoke(RoutingContext ctx, AuthenticatedUser user) {
        RequestFutures.handle(
                ctx,
                accounts.revokeKey(user, ctx.pathParam("id")),
                revoked -> pages.redirect(ctx, AccountPages.PATH + "?done=revoked"),
                problem -> problems.send(ctx, keyNotFound()));
    }

    private static Problem keyNotFound() {
        return Problem.notFound(
                "Your account does not have an API key with this ID. The account page lists your keys.");
    }
}
