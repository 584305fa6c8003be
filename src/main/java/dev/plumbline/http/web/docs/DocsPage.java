package dev.plumbline.http.web.docs;

import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.layout.EncodedBody;
import dev.plumbline.http.web.layout.PageDependencies;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** {@code /docs}: the API reference, generated from openapi.json. The type of a problem is an anchor of this page. */
public final class DocsPage implements PageRoutes.Pages {
    private final PageRenderer pages;
    private final ApiReference reference;
    /** The rendered page, by whether it has an account link. */
    private final Map<Boolean, EncodedBody> rendered = new ConcurrentHashMap<>();

    public DocsPage(PageDependencies dependencies) {
        this.pages = dependencies.pages();
        this.reference = ApiReferenceReader.read(
                dependencies.contract().published(), dependencies.pages().site().publicUrl(), dependencies.limits());
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get("/docs", "docs", this::show);
    }

    private void show(RoutingContext ctx) {
        pages.send(ctx, rendered.computeIfAbsent(pages.hasSessionCookie(ctx), this::render));
    }

    private EncodedBody render(boolean session) {
        PageInfo info = PageInfo.indexed(
                "API reference",
                "All operations with parameters, request and response bodies, examples and problem types.",
                "api",
                "/docs");
        return EncodedBody.fast(pages.render(info, session, "docs", reference));
    }
}
