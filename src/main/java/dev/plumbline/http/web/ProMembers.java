package dev.plumbline.http.web;

import dev.plumbline.account.Plan;
import dev.plumbline.account.SignedIn;
import dev.plumbline.http.SessionAuthentication;
import dev.plumbline.http.api.WebJobs;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Consumer;

/** Lets those in who may have jobs, and tells the others what to do. */
public final class ProMembers {
  private final Pages pages;
  private final SessionAuthentication people;

  ProMembers(Pages pages, SessionAuthentication people) {
    this.pages = pages;
    this.people = people;
  }

  /**
   * Somebody who may not have jobs yet.
   *
   * @param signedIn whether they are known, and only their plan is in the way
   * @param next where they wanted to go
   */
  public record Locked(boolean signedIn, String next, int mostLines) {

    public String signIn() {
      return OwnPath.signIn(next);
    }
  }

  /**
   * Goes on with whoever is signed in and may have jobs; the others are shown how to become one of
   * them.
   *
   * @param next where signing in leads
   * @param then called at most once, on the context of the request
   */
  void enter(RoutingContext ctx, String next, Consumer<SignedIn> then) {
    people.visitor(
        ctx,
        who -> {
          if (who == null) {
            if (!told(ctx, next)) {
              ctx.response().putHeader("WWW-Authenticate", SessionAuthentication.CHALLENGE);
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

  /** As {@link #enter}, once more for whoever has waited for a body. */
  void again(RoutingContext ctx, SignedIn before, Consumer<SignedIn> then) {
    people.stillSignedIn(ctx, before, then);
  }

  private void refuse(RoutingContext ctx, int status, boolean signedIn, String next) {
    Page page =
        Page.unlisted("Bulk checks", "Check up to 500 lines at once, in the background.", "bulk");
    pages.show(ctx, status, page, "locked", new Locked(signedIn, next, WebJobs.MOST_LINES));
  }
}
