package dev.plumbline.http.web.layout;

import dev.plumbline.http.RequestIdHandler;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.auth.SessionCookies;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemPage;
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
public final class PageRenderer implements ProblemPage {
    private static final String TEMPLATES = "dev.plumbline.http.web.templates";
    private static final int WORTH_COMPRESSING = 1024;

    private final TemplateEngine templates = TemplateEngine.createPrecompiled(null, ContentType.Html, null, TEMPLATES);
    private final SiteSettings site;
    private final SessionCookies cookies;
    private final PageHeaders headers;

    /**
     * @param publicUrl under which people reach the service
     */
    public PageRenderer(String publicUrl, Assets assets) {
        this.site = SiteSettings.of(publicUrl, assets);
        this.cookies = new SessionCookies(publicUrl);
        this.headers = new PageHeaders(site.secure());
    }

    public SiteSettings site() {
        return site;
    }

    /** Whether the browser carries a session, good or not. */
    public boolean carriesSession(RoutingContext ctx) {
        return cookies.isPresent(ctx.request());
    }

    /**
     * Shows a page; nothing keeps it.
     *
     * @param template a file of src/main/jte, without its ending
     * @param view its parameter {@code view}
     */
    public void show(RoutingContext ctx, PageInfo page, String template, Object view) {
        show(ctx, 200, page, template, view);
    }

    /** As {@link #show(RoutingContext, PageInfo, String, Object)}, with another status. */
    public void show(RoutingContext ctx, int status, PageInfo page, String template, Object view) {
        send(ctx, status, render(page, carriesSession(ctx), template, view));
    }

    public byte[] render(PageInfo page, boolean signedIn, String template, Object view) {
        Utf8ByteOutput out = new Utf8ByteOutput();
        PageLayout shell = new PageLayout(page, site, signedIn || page.person() != null);
        templates.render(template + ".jte", Map.of("shell", shell, "view", view), out);
        return out.toByteArray();
    }

    public void send(RoutingContext ctx, int status, byte[] html) {
        boolean gzip = html.length >= WORTH_COMPRESSING && GzipEncoder.accepted(ctx.request());
        send(ctx, status, Buffer.buffer(gzip ? GzipEncoder.quick(html) : html), gzip);
    }

    public void send(RoutingContext ctx, int status, Buffer body, boolean gzip) {
        HttpServerResponse response = ctx.response().setStatusCode(status);
        headers.write(response, status);
        if (gzip) {
            response.putHeader("Content-Encoding", "gzip");
        }
        response.putHeader(RequestIdHandler.HEADER, RequestIdHandler.of(ctx));
        ResponseBodies.end(ctx, body);
    }

    /** Sends the browser elsewhere, to a path of ours, with GET (RFC 9110, 15.4.4). */
    public void redirect(RoutingContext ctx, String path) {
        HttpServerResponse response = ctx.response().setStatusCode(303);
        headers.write(response, 303);
        response.putHeader("Location", site.base() + path)
                .putHeader(RequestIdHandler.HEADER, RequestIdHandler.of(ctx))
                .end();
    }

    @Override
    public void show(RoutingContext ctx, Problem problem) {
        show(ctx, problem, "", ProblemView.ANYWHERE);
    }

    /**
     * Shows a problem, with its headers.
     *
     * @param section as a {@link PageInfo} has it
     * @param ways where to go from there
     */
    public void show(RoutingContext ctx, Problem problem, String section, List<ProblemView.LinkView> ways) {
        problem.headers().forEach(ctx.response()::putHeader);
        ProblemView view = new ProblemView(problem, RequestIdHandler.of(ctx), ways);
        show(ctx, problem.status(), page(problem, section), "problem", view);
    }

    private static PageInfo page(Problem problem, String section) {
        return PageInfo.unlisted(problem.title(), problem.detail(), section);
    }
}
