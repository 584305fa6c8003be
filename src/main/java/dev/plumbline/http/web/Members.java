package dev.plumbline.http.web;

import dev.plumbline.account.SignedIn;
import dev.plumbline.http.FormBody;
import dev.plumbline.http.Problems;
import dev.plumbline.http.RequestBodies;
import dev.plumbline.http.SessionAuthentication;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Pages for those who are signed in; the others are sent to sign in, and led back. */
final class Members {
  private final Pages pages;
  private final Problems problems;
  private final SessionAuthentication people;
  private final RequestBodies bodies;

  Members(Website.Needs needs) {
    this.pages = needs.pages();
    this.problems = needs.problems();
    this.people = needs.account().people();
    this.bodies = needs.bodies();
  }

  /**
   * Goes on with whoever is signed in; otherwise the request is answered. Nothing keeps the answer.
   *
   * @param home the page to come back to from what cannot be opened by a link
   * @param then called at most once, on the context of the request
   */
  void only(RoutingContext ctx, String home, Consumer<SignedIn> then) {
    neverKept(ctx);
    people.visitor(
        ctx,
        who -> {
          if (who != null) {
            then.accept(who);
          } else {
            boolean link = !ctx.request().method().equals(HttpMethod.POST);
            pages.redirect(ctx, OwnPath.signIn(link ? ctx.request().uri() : home));
          }
        });
  }

  /** As {@link #only}, with the form that they have sent. */
  void form(RoutingContext ctx, String home, BiConsumer<SignedIn, FormBody> then) {
    // who is signed in is asked when the form has come: they may have signed out meanwhile
    form(ctx, form -> only(ctx, home, who -> then.accept(who, form)));
  }

  /** The form that whoever it is has sent from a page of ours; nothing keeps the answer. */
  void form(RoutingContext ctx, Consumer<FormBody> then) {
    neverKept(ctx);
    if (people.cameFromHere(ctx)) {
      FormBody.read(ctx, bodies, problems, then);
    }
  }

  private static void neverKept(RoutingContext ctx) {
    ctx.addHeadersEndHandler(
        head -> ctx.response().putHeader("Cache-Control", "private, no-store"));
  }
}
