package dev.plumbline.http.web;

import dev.plumbline.account.ApiKey;
import dev.plumbline.account.KeyCreation;
import dev.plumbline.account.SignedIn;
import dev.plumbline.http.FormBody;
import dev.plumbline.http.JsonBody;
import dev.plumbline.http.PageRoutes;
import dev.plumbline.http.Problem;
import dev.plumbline.http.Problems;
import dev.plumbline.http.api.AccountCalls;
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

  private final Pages pages;
  private final Problems problems;
  private final AccountCalls calls;
  private final Members members;
  private final AccountPages home;
  private final JsonBody createKey;
  private final Clock clock;

  KeyPages(Website.Needs needs) {
    this.pages = needs.pages();
    this.problems = needs.problems();
    this.calls = needs.account();
    this.members = new Members(needs);
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
  public record NewKey(AccountView.Key key, String secret, String curl) {
    /** Hides the secret. */
    @Override
    public String toString() {
      return "NewKey[" + key.id() + "]";
    }
  }

  private void create(RoutingContext ctx, SignedIn who, FormBody form) {
    String days = DAYS.contains(form.text("days")) ? form.text("days") : "";
    JsonObject given =
        new JsonObject()
            .put("name", form.text("name").strip())
            .put("scopes", new JsonArray(List.copyOf(form.all("scopes"))));
    if (!days.isEmpty()) {
      given.put(
          "expires_at", clock.instant().plus(Long.parseLong(days), ChronoUnit.DAYS).toString());
    }
    Consumer<Problem> refused =
        problem -> {
          Wrong wrong =
              Wrong.of(problem, FIELDS).saying("scopes", "Choose what the key may be used for.");
          AccountView.KeyForm sent =
              new AccountView.KeyForm(form.text("name"), form.all("scopes"), days, wrong);
          home.show(ctx, who, problem.status(), new AccountPages.Forms(sent, Wrong.NOTHING));
        };
    Problem fault = createKey.fault(given);
    if (fault != null) {
      refused.accept(fault);
    } else {
      calls.createKey(ctx, who, given, created -> shown(ctx, who, created), refused);
    }
  }

  private void shown(RoutingContext ctx, SignedIn who, KeyCreation.Created created) {
    String curl =
        "curl -H 'Authorization: Bearer "
            + created.secret()
            + "' '"
            + pages.site().publicUrl()
            + "/api/v1/jobs'";
    pages.show(
        ctx,
        201,
        AccountPages.page(who, "Your new key"),
        "newkey",
        new NewKey(AccountView.Key.of(created.key(), clock.instant()), created.secret(), curl));
  }

  private void ask(RoutingContext ctx, SignedIn who) {
    String id = ctx.pathParam("id");
    calls
        .keys(who)
        .onSuccess(
            keys -> {
              ApiKey key =
                  keys.stream()
                      .filter(k -> Long.toString(k.id()).equals(id))
                      .findFirst()
                      .orElse(null);
              if (key == null) {
                problems.send(ctx, noSuchKey());
              } else {
                pages.show(
                    ctx,
                    AccountPages.page(who, "Revoke a key"),
                    "revokekey",
                    AccountView.Key.of(key, clock.instant()));
              }
            })
        .onFailure(ctx::fail);
  }

  private void revoke(RoutingContext ctx, SignedIn who) {
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
