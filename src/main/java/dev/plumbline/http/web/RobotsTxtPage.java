package dev.plumbline.http.web;

import dev.plumbline.http.RequestIdHandler;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.server.PageRoutes;
import io.vertx.core.buffer.Buffer;

/** {@code /robots.txt} (RFC 9309): a crawler that opened reports would have checks run. */
final class RobotsTxtPage implements PageRoutes.Pages {
    private static final Buffer TEXT = Buffer.buffer("User-agent: *\nDisallow: /check/\nDisallow: /api/v1/instant/\n");

    @Override
    public void mount(PageRoutes routes) {
        routes.get("/robots.txt", "robots", ctx -> {
            ctx.response()
                    .putHeader("Content-Type", "text/plain; charset=utf-8")
                    .putHeader("Cache-Control", "public, max-age=86400")
                    .putHeader("X-Content-Type-Options", "nosniff")
                    .putHeader(RequestIdHandler.HEADER, RequestIdHandler.of(ctx));
            ResponseBodies.end(ctx, TEXT);
        });
    }
}
