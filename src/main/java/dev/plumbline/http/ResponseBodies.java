package dev.plumbline.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;

/**
 * Ends answers. To HEAD an answer has all the headers of the one to GET, and no body; Vert.x sees
 * to that over HTTP/1.1 only.
 */
public final class ResponseBodies {
    private static final String HEAD = "plumbline.head";

    private ResponseBodies() {}

    /** Remembers whether a request came as HEAD, before it is routed on as GET. */
    public static void remember(RoutingContext ctx) {
        if (ctx.request().method().equals(HttpMethod.HEAD)) {
            ctx.put(HEAD, true);
        }
    }

    /** Whether the client wants the headers alone. */
    public static boolean headOnly(RoutingContext ctx) {
        return ctx.get(HEAD) != null || ctx.request().method().equals(HttpMethod.HEAD);
    }

    public static void end(RoutingContext ctx, Buffer body) {
        if (headOnly(ctx)) {
            ctx.response()
                    .putHeader("Content-Length", Integer.toString(body.length()))
                    .end();
        } else {
            ctx.response().end(body);
        }
    }
}
