package dev.plumbline.http.web;

import dev.plumbline.account.Accounts;
import dev.plumbline.account.ApiKey;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Session;
import dev.plumbline.account.SignedIn;
import dev.plumbline.bus.Addresses;
import dev.plumbline.bus.Bus;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.FormBody;
import dev.plumbline.http.JsonBody;
import dev.plumbline.http.PageRoutes;
import dev.plumbline.http.Problem;
import dev.plumbline.http.Problems;
import dev.plumbline.http.api.AccountCalls;
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
final class AccountPages implements PageRoutes.Pages {
  static final String HOME = "/account";

  private static final long USAGE_TIMEOUT_MS = 5_000;
  private static final List<String> PASSWORDS = List.of("current_password", "new_password");

  /** What a redirect may say that was done. */
  private static final Map<String, String> DONE =
      Map.of(
          "password", "Your password was changed. Everybody else who was signed in is signed out.",
          "ended", "It is signed out there.",
          "revoked", "The key was revoked. It opens nothing any more.");

  private final Pages pages;
  private final Problems problems;
  private final AccountCalls calls;
  private final Members members;
  private final JsonBody changePassword;
  private final Bus bus;
  private final Website.Limits limits;
  private final Clock clock;

  AccountPages(Website.Needs needs) {
    this.pages = needs.pages();
    this.problems = needs.problems();
    this.calls = needs.account();
    this.members = new Members(needs);
    this.changePassword = needs.body("changePassword");
    this.bus = needs.bus();
    this.limits = needs.limits();
    this.clock = needs.clock();
  }

  @Override
  public void mount(PageRoutes routes) {
    routes.get(
        HOME,
        "account",
        ctx -> members.only(ctx, HOME, who -> show(ctx, who, 200, Forms.UNTOUCHED)));
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
        ctx ->
            members.only(
                ctx,
                HOME,
                who -> calls.signOutEverywhere(ctx, who, () -> pages.redirect(ctx, "/sign-in"))));
  }

  /** The forms of the page as they were sent last. */
  record Forms(AccountView.KeyForm key, Wrong password) {
    static final Forms UNTOUCHED = new Forms(AccountView.KeyForm.EMPTY, Wrong.NOTHING);
  }

  /** Shows the page, with what is wrong in one of its forms. */
  void show(RoutingContext ctx, SignedIn who, int status, Forms forms) {
    Future<List<ApiKey>> keys = calls.keys(who);
    Future<List<Session>> sessions = calls.sessions(who);
    Future<JobMessage.@Nullable Usage> usage = usage(who);
    Future.all(keys, sessions, usage)
        .onSuccess(
            all -> {
              try {
                AccountView view =
                    view(ctx, who, keys.result(), sessions.result(), usage.result(), forms);
                pages.show(ctx, status, page(who, "Your account"), "account", view);
              } catch (RuntimeException fault) {
                ctx.fail(fault);
              }
            })
        .onFailure(ctx::fail);
  }

  static Page page(SignedIn who, String title) {
    return Page.unlisted(title, "Keys, usage, password and sessions.", "account")
        .of(who.account().email());
  }

  /** The page is of use without it. */
  private Future<JobMessage.@Nullable Usage> usage(SignedIn who) {
    return bus.ask(
            Addresses.JOB_USAGE,
            new JobMessage.ReadUsage(who.account().id()),
            JobMessage.UsageReply.class,
            USAGE_TIMEOUT_MS)
        .map(reply -> reply instanceof JobMessage.Usage told ? told : null)
        .otherwise((JobMessage.Usage) null);
  }

  private AccountView view(
      RoutingContext ctx,
      SignedIn who,
      List<ApiKey> keys,
      List<Session> sessions,
      JobMessage.@Nullable Usage usage,
      Forms forms) {
    Instant now = clock.instant();
    List<AccountView.Key> shown = keys.stream().map(key -> AccountView.Key.of(key, now)).toList();
    String done = ctx.queryParams().get("done");
    return new AccountView(
        who.account().email(),
        who.account().plan().id(),
        who.account().plan() == Plan.PRO,
        AccountView.moment(who.account().createdAt()),
        shown,
        (int) shown.stream().filter(AccountView.Key::live).count(),
        Accounts.MOST_KEYS,
        forms.key,
        sessions.stream().map(session -> AccountView.Place.of(session, who)).toList(),
        forms.password,
        usage == null ? null : Usage.of(usage, limits, now),
        done == null ? null : DONE.get(done));
  }

  private void endSession(RoutingContext ctx, SignedIn who) {
    calls.endSession(
        ctx,
        who,
        ctx.pathParam("id"),
        here -> pages.redirect(ctx, here ? "/sign-in" : HOME + "?done=ended"),
        problem -> problems.send(ctx, problem));
  }

  private void password(RoutingContext ctx, SignedIn who, FormBody form) {
    JsonObject given =
        new JsonObject()
            .put("current_password", form.text("current_password"))
            .put("new_password", form.text("new_password"));
    Consumer<Problem> refused =
        problem -> {
          problem.headers().forEach(ctx.response()::putHeader);
          Wrong wrong = Wrong.of(problem, PASSWORDS);
          show(ctx, who, problem.status(), new Forms(AccountView.KeyForm.EMPTY, wrong));
        };
    Problem fault = changePassword.fault(given);
    if (fault != null) {
      refused.accept(fault);
    } else {
      calls.changePassword(
          ctx, who, given, () -> pages.redirect(ctx, HOME + "?done=password"), refused);
    }
  }
}
