package dev.plumbline.http.web;

import dev.plumbline.http.Bodies;
import dev.plumbline.http.PageRoutes;
import dev.plumbline.http.RequestIds;
import io.vertx.core.buffer.Buffer;

/** {@code /robots.txt} (RFC 9309): a crawler that opened reports would have checks run. */
final class RobotsTxt implements PageRoutes.Pages {
  private static final Buffer TEXT =
      Buffer.buffer("User-agent: *\nDisallow: /check/\nDisallow: /api/v1/instant/\n");

  @Override
  public void mount(PageRoutes routes) {
    routes.get(
        "/robots.txt",
        "robots",
        ctx -> {
          ctx.response()
              .putHeader("Content-Type", "text/plain; charset=utf-8")
              .putHeader("Cache-Control", "public, max-age=86400")
              .putHeader("X-Content-Type-Options", "nosniff")
              .putHeader(RequestIds.HEADER, RequestIds.of(ctx));
          Bodies.end(ctx, TEXT);
        });
  }
}
