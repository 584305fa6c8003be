package dev.plumbline.http.web.layout;

import com.google.common.hash.Hashing;
import com.google.common.io.Resources;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.PageRoutes;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Style sheets, scripts and images at {@code /assets/NAME.HASH.EXTENSION}. The file name contains a hash of the
 * content, so clients can cache it permanently. Files are read and compressed once, at startup.
 */
public final class Assets {
    private static final String FOLDER = "/assets/";
    private static final int HASH_DIGITS = 12;
    private final Map<String, String> paths = new HashMap<>();
    private final Map<String, Asset> byFile = new HashMap<>();

    private record Asset(String type, EncodedBody body) {}

    /** Loads every asset of the pages from {@code src/main/resources/web}. */
    public static Assets load() {
        Assets assets = new Assets();
        List.of("site.css", "site.js", "bulk.js", "job.js", "favicon.svg").forEach(assets::add);
        return assets;
    }

    private Assets() {}

    private void add(String name) {
        byte[] content = read("/web/" + name);
        String hash = Hashing.sha256().hashBytes(content).toString().substring(0, HASH_DIGITS);
        String extension = name.substring(name.lastIndexOf('.'));
        String file = name.replace(extension, '.' + hash + extension);
        paths.put(name, FOLDER + file);
        byFile.put(file, new Asset(type(extension), EncodedBody.smallest(content)));
    }

    private static String type(String extension) {
        return switch (extension) {
            case ".css" -> "text/css; charset=utf-8";
            case ".js" -> "text/javascript; charset=utf-8";
            case ".svg" -> "image/svg+xml";
            default -> throw new IllegalArgumentException("no media type for " + extension);
        };
    }

    private static byte[] read(String resource) {
        try {
            return Resources.toByteArray(Resources.getResource(Assets.class, resource));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The path of an asset, without the base path of the site.
     *
     * @param name for example {@code site.css}
     */
    String path(String name) {
        String path = paths.get(name);
        if (path == null) {
            throw new IllegalArgumentException("unknown asset " + name);
        }
        return path;
    }

    public PageRoutes.Pages routes(ProblemResponder problems) {
        return routes -> routes.get(FOLDER + ":file", "assets", ctx -> {
            Asset asset = byFile.get(ctx.pathParam("file"));
            if (asset == null) {
                problems.send(ctx, Problem.notFound("This version of the file does not exist. Reload the page."));
            } else {
                send(ctx, asset);
            }
        });
    }

    private static void send(RoutingContext ctx, Asset asset) {
        HttpServerResponse response = ctx.response();
        response.putHeader("Content-Type", asset.type)
                .putHeader("Cache-Control", "public, max-age=31536000, immutable")
                .putHeader("Vary", "Accept-Encoding")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Cross-Origin-Resource-Policy", "same-origin")
                .putHeader(RequestId.HEADER, RequestId.of(ctx));
        asset.body.end(ctx);
    }
}
