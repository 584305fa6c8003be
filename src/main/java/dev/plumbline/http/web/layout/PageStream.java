package dev.plumbline.http.web.layout;

import dev.plumbline.http.ResponseBodies;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;

/**
 * A page that is sent in parts: the layout above the content at once, then the content. It is not compressed, because a
 * compressor delays parts. Create it with {@link PageRenderer#stream}.
 */
public final class PageStream {
    private final RoutingContext ctx;
    private final PageRenderer pages;
    private final PageLayout layout;
    private final Buffer tail;

    PageStream(RoutingContext ctx, PageRenderer pages, PageLayout layout, Buffer tail) {
        this.ctx = ctx;
        this.pages = pages;
        this.layout = layout;
        this.tail = tail;
    }

    public boolean closed() {
        return ctx.response().closed() || ctx.response().ended();
    }

    /** Sends a part of the content. */
    public void write(String template, Object view) {
        if (!closed()) {
            ctx.response().write(Buffer.buffer(pages.fragment(layout, template, view)));
        }
    }

    /** Sends the last part of the content and ends the page. */
    public void end(String template, Object view) {
        if (!closed()) {
            ResponseBodies.endParts(
                    ctx, Buffer.buffer(pages.fragment(layout, template, view)).appendBuffer(tail));
        }
    }
}
