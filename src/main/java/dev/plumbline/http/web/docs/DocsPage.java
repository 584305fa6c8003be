package dev.plumbline.http.web.docs;

import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.WebRoutes;
import dev.plumbline.http.web.layout.GzipEncoder;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** {@code /docs}: the API, explained from openapi.json; and what each problem's type leads to. */
public final class DocsPage implements PageRoutes.Pages {
    private final PageRenderer pages;
    private final ApiReference reference;
    // the same for everybody but for one link; made when somebody wants it
    private volatile @Nullable Both signedIn;
    private volatile @Nullable Both anonymous;

    /** The page, both ways. */
    private record Both(Buffer plain, Buffer gzip) {}

    public DocsPage(WebRoutes.Dependencies needs) {
        this.pages = needs.pages();
        this.reference = ApiReferenceReader.read(
                needs.contract().published(), needs.pages().site().publicUrl());
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get("/docs", "docs", this::show);
    }

    private void show(RoutingContext ctx) {
        boolean known = pages.carriesSession(ctx);
        Both both = known ? signedIn : anonymous;
        if (both == null) {
            both = render(known);
            if (known) {
                signedIn = both;
            } else {
                anonymous = both;
            }
        }
        boolean gzip = GzipEncoder.accepted(ctx.request());
        pages.send(ctx, 200, gzip ? both.gzip : both.plain, gzip);
    }

    private Both render(boolean known) {
        PageInfo page = PageInfo.open(
                "API",
                "Every operation with its parameters, bodies, answers and examples, and every problem"
                        + " that it may answer.",
                "api",
                "/docs");
        byte[] html = pages.render(page, known, "docs", reference);
        return new Both(Buffer.buffer(html), Buffer.buffer(GzipEncoder.quick(html)));
    }
}
