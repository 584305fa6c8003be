package dev.plumbline.http.web.job;

import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.http.web.layout.EncodedBody;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import io.vertx.ext.web.RoutingContext;

/** Renders pages that contain a long list or table on a worker thread. */
record LargePages(PageRenderer pages, PageJobService jobs) {
    /** A page with a longer list is rendered and compressed in more than a few milliseconds. */
    private static final int MAX_EVENT_LOOP_CHARACTERS = 64 << 10;

    /** @param list the text that makes the page large */
    void show(RoutingContext ctx, int status, PageInfo page, String template, Object view, String list) {
        show(ctx, status, page, template, view, list.length() > MAX_EVENT_LOOP_CHARACTERS);
    }

    /** @param large whether the page has a long table */
    void show(RoutingContext ctx, int status, PageInfo page, String template, Object view, boolean large) {
        if (!large) {
            pages.show(ctx, status, page, template, view);
            return;
        }
        boolean signedIn = pages.hasSessionCookie(ctx);
        RequestFutures.handle(
                ctx,
                jobs.executeBlocking(() -> EncodedBody.fast(pages.render(page, signedIn, template, view))),
                body -> pages.send(ctx, status, body));
    }
}
