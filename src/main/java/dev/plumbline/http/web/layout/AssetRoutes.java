package dev.plumbline.http.web.layout;

import dev.plumbline.http.RequestIdHandler;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.PageRoutes;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/** {@code /assets/NAME.HASH.css} and the like: kept for ever by whoever has them once. */
public final class AssetRoutes implements PageRoutes.Pages {
    private final Assets assets;
    private final ProblemResponder problems;

    public AssetRoutes(Assets assets, ProblemResponder problems) {
        this.assets = assets;
        this.problems = problems;
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get(Assets.FOLDER + ":file", "assets", ctx -> {
            Assets.Asset asset = assets.file(ctx.pathParam("file"));
            if (asset == null) {
                problems.send(ctx, Problem.notFound("No file has this name now; load the page that wants it again."));
            } else {
                send(ctx, asset);
            }
        });
    }

    private static void send(RoutingContext ctx, Assets.Asset asset) {
        HttpServerResponse response = ctx.response()
                .putHeader("Content-Type", asset.type())
                .putHeader("Cache-Control", "public, max-age=31536000, immutable")
                .putHeader("Vary", "Accept-Encoding")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Cross-Origin-Resource-Policy", "same-origin")
                .putHeader(RequestIdHandler.HEADER, RequestIdHandler.of(ctx));
        if (GzipEncoder.accepted(ctx.request())) {
            response.putHeader("Content-Encoding", "gzip");
            ResponseBodies.end(ctx, asset.gzip());
        } else {
            ResponseBodies.end(ctx, asset.plain());
        }
    }
}
