package dev.plumbline.http.web;

import dev.plumbline.http.Bodies;
import dev.plumbline.http.PageRoutes;
import dev.plumbline.http.Problem;
import dev.plumbline.http.Problems;
import dev.plumbline.http.RequestIds;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/** {@code /assets/NAME.HASH.css} and the like: kept for ever by whoever has them once. */
final class AssetFiles implements PageRoutes.Pages {
  private final Assets assets;
  private final Problems problems;

  AssetFiles(Assets assets, Problems problems) {
    this.assets = assets;
    this.problems = problems;
  }

  @Override
  public void mount(PageRoutes routes) {
    routes.get(
        Assets.FOLDER + ":file",
        "assets",
        ctx -> {
          Assets.Asset asset = assets.file(ctx.pathParam("file"));
          if (asset == null) {
            problems.send(
                ctx,
                Problem.notFound("No file has this name now; load the page that wants it again."));
          } else {
            send(ctx, asset);
          }
        });
  }

  private static void send(RoutingContext ctx, Assets.Asset asset) {
    HttpServerResponse response =
        ctx.response()
            .putHeader("Content-Type", asset.type())
            .putHeader("Cache-Control", "public, max-age=31536000, immutable")
            .putHeader("Vary", "Accept-Encoding")
            .putHeader("X-Content-Type-Options", "nosniff")
            .putHeader("Cross-Origin-Resource-Policy", "same-origin")
            .putHeader(RequestIds.HEADER, RequestIds.of(ctx));
    if (Gzip.accepted(ctx.request())) {
      response.putHeader("Content-Encoding", "gzip");
      Bodies.end(ctx, asset.gzip());
    } else {
      Bodies.end(ctx, asset.plain());
    }
  }
}
