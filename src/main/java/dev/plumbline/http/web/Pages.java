package dev.plumbline.http.web;

import dev.plumbline.http.Bodies;
import dev.plumbline.http.Problem;
import dev.plumbline.http.ProblemPage;
import dev.plumbline.http.RequestIds;
import dev.plumbline.http.SessionCookies;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.Utf8ByteOutput;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;

/**
 * Renders pages and sends them, with the headers that keep them safe. Templates are classes and
 * were made at build time; a template takes {@code shell}, the frame, and {@code view}, what it is
 * to show.
 */
public final class Pages implements ProblemPage {
  private static final String TEMPLATES = "dev.plumbline.http.web.templates";
  private static final int WORTH_COMPRESSING = 1024;

  private final TemplateEngine templates =
      TemplateEngine.createPrecompiled(null, ContentType.Html, null, TEMPLATES);
  private final Site site;
  private final SessionCookies cookies;
  private final PageHeaders headers;

  /**
   * @param publicUrl under which people reach the service
   */
  public Pages(String publicUrl, Assets assets) {
    this.site = Site.of(publicUrl, assets);
    this.cookies = new SessionCookies(publicUrl);
    this.headers = new PageHeaders(site.secure());
  }

  Site site() {
    return site;
  }

  /** Whether the browser carries a session, good or not. */
  boolean carriesSession(RoutingContext ctx) {
    return cookies.isThere(ctx.request());
  }

  /**
   * Shows a page; nothing keeps it.
   *
   * @param template a file of src/main/jte, without its ending
   * @param view its parameter {@code view}
   */
  public void show(RoutingContext ctx, Page page, String template, Object view) {
    show(ctx, 200, page, template, view);
  }

  /** As {@link #show(RoutingContext, Page, String, Object)}, with another status. */
  public void show(RoutingContext ctx, int status, Page page, String template, Object view) {
    send(ctx, status, render(page, carriesSession(ctx), template, view));
  }

  byte[] render(Page page, boolean signedIn, String template, Object view) {
    Utf8ByteOutput out = new Utf8ByteOutput();
    Shell shell = new Shell(page, site, signedIn || page.person() != null);
    templates.render(template + ".jte", Map.of("shell", shell, "view", view), out);
    return out.toByteArray();
  }

  void send(RoutingContext ctx, int status, byte[] html) {
    boolean gzip = html.length >= WORTH_COMPRESSING && Gzip.accepted(ctx.request());
    send(ctx, status, Buffer.buffer(gzip ? Gzip.quick(html) : html), gzip);
  }

  void send(RoutingContext ctx, int status, Buffer body, boolean gzip) {
    HttpServerResponse response = ctx.response().setStatusCode(status);
    headers.write(response, status);
    if (gzip) {
      response.putHeader("Content-Encoding", "gzip");
    }
    response.putHeader(RequestIds.HEADER, RequestIds.of(ctx));
    Bodies.end(ctx, body);
  }

  /** Sends the browser elsewhere, to a path of ours, with GET (RFC 9110, 15.4.4). */
  public void redirect(RoutingContext ctx, String path) {
    HttpServerResponse response = ctx.response().setStatusCode(303);
    headers.write(response, 303);
    response
        .putHeader("Location", site.base() + path)
        .putHeader(RequestIds.HEADER, RequestIds.of(ctx))
        .end();
  }

  @Override
  public void show(RoutingContext ctx, Problem problem) {
    show(ctx, problem, "", ProblemView.ANYWHERE);
  }

  /**
   * Shows a problem, with its headers.
   *
   * @param section as a {@link Page} has it
   * @param ways where to go from there
   */
  void show(RoutingContext ctx, Problem problem, String section, List<ProblemView.Way> ways) {
    problem.headers().forEach(ctx.response()::putHeader);
    ProblemView view = new ProblemView(problem, RequestIds.of(ctx), ways);
    show(ctx, problem.status(), page(problem, section), "problem", view);
  }

  @Override
  public Sheet sheet(Problem problem, String requestId) {
    ProblemView view = new ProblemView(problem, requestId, ProblemView.ANYWHERE);
    byte[] html = render(page(problem, ""), false, "problem", view);
    return new Sheet(headers.ofFault(), Buffer.buffer(html));
  }

  private static Page page(Problem problem, String section) {
    return Page.unlisted(problem.title(), problem.detail(), section);
  }
}
