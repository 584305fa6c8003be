package dev.plumbline.http.web.layout;

import dev.plumbline.http.Gzip;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.auth.SessionCookies;
import dev.plumbline.http.problem.Problem;
import gg.jte.Content;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.Utf8ByteOutput;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;

/**
 * Renders pages and sends them with their security headers. The templates are precompiled. A template has the
 * parameters {@code layout} ({@link PageLayout}) and {@code view} (the data of the page).
 */
public final class PageRenderer {
    private static final String TEMPLATES = "dev.plumbline.http.web.templates";

    private final TemplateEngine templates = TemplateEngine.createPrecompiled(null, ContentType.Html, null, TEMPLATES);
    private final SiteSettings site;
    private final SessionCookies cookies;
    private final MultiMap headers;

    public PageRenderer(String publicUrl, Assets assets) {
        this.site = SiteSettings.of(publicUrl, assets);
        this.cookies = new SessionCookies(publicUrl);
        this.headers = PageHeaders.of(site.secure());
    }

    public SiteSettings site() {
        return site;
    }

    /** Whether the request contains a session cookie, valid or not. */
    public boolean hasSessionCookie(RoutingContext ctx) {
        return cookies.isPresent(ctx.request());
    }

    /**
     * Renders a page and sends it with status 200.
     *
     * @param template a file of src/main/jte, without its extension
     * @param view its parameter {@code view}
     */
    public void show(RoutingContext ctx, PageInfo page, String template, Object view) {
        show(ctx, 200, page, template, view);
    }

    public void show(RoutingContext ctx, int status, PageInfo page, String template, Object view) {
        send(ctx, status, render(page, hasSessionCookie(ctx), template, view));
    }

    public byte[] render(PageInfo page, boolean signedIn, String template, Object view) {
        return fragment(layout(page, signedIn), template, view);
    }

    /**
     * Sends the layout of a page with status 200. Its content follows later.
     *
     * @param page without the address of the user
     */
    public PageStream stream(RoutingContext ctx, PageInfo page) {
        PageLayout layout = layout(page, hasSessionCookie(ctx));
        Utf8ByteOutput out = new Utf8ByteOutput();
        int[] split = new int[1];
        Content content = at -> split[0] = out.getContentLength();
        templates.render("layout.jte", Map.of("layout", layout, "content", content), out);
        Buffer html = Buffer.buffer(out.toByteArray());
        // nginx does not buffer a response with this header
        writeHead(ctx, 200)
                .putHeader("X-Accel-Buffering", "no")
                .setChunked(true)
                .write(html.slice(0, split[0]));
        return new PageStream(ctx, this, layout, html.slice(split[0], html.length()));
    }

    private PageLayout layout(PageInfo page, boolean signedIn) {
        return new PageLayout(page, site, signedIn || page.email() != null);
    }

    byte[] fragment(PageLayout layout, String template, Object view) {
        Utf8ByteOutput out = new Utf8ByteOutput();
        templates.render(template + ".jte", Map.of("layout", layout, "view", view), out);
        return out.toByteArray();
    }

    public void send(RoutingContext ctx, int status, byte[] html) {
        writeHead(ctx, status);
        ResponseBodies.end(ctx, Buffer.buffer(html), () -> Gzip.encode(html));
    }

    /** Sends a page that was rendered before. */
    public void send(RoutingContext ctx, EncodedBody page) {
        send(ctx, 200, page);
    }

    public void send(RoutingContext ctx, int status, EncodedBody page) {
        writeHead(ctx, status);
        page.end(ctx);
    }

    /** Redirects to a path of this service with GET (RFC 9110 §15.4.4). */
    public void redirect(RoutingContext ctx, String path) {
        writeHead(ctx, 303).putHeader("Location", site.basePath() + path).end();
    }

    private HttpServerResponse writeHead(RoutingContext ctx, int status) {
        HttpServerResponse response = ctx.response().setStatusCode(status);
        headers.forEach((name, value) -> response.putHeader(name, value));
        if (status >= 400) {
            response.putHeader("Cache-Control", "no-store");
        }
        return response.putHeader(RequestId.HEADER, RequestId.of(ctx));
    }

    public void show(RoutingContext ctx, Problem problem) {
        show(ctx, problem, "", ProblemView.DEFAULT_LINKS);
    }

    /**
     * Sends an error page with the headers of the problem.
     *
     * @param section as in {@link PageInfo}
     * @param links pages on which the user can continue
     */
    public void show(RoutingContext ctx, Problem problem, String section, List<ProblemView.PageLink> links) {
        problem.headers().forEach(ctx.response()::putHeader);
        ProblemView view = new ProblemView(problem, RequestId.of(ctx), links);
        PageInfo page = PageInfo.unlisted(problem.title(), problem.detail(), section);
        show(ctx, problem.status(), page, "problem", view);
    }
}
