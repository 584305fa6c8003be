package dev.plumbline.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;

/**
 * Ends responses. A response to HEAD has the headers of the response to GET and no body. Vert.x implements this for
 * HTTP/1.1 only.
 */
public final class ResponseBodies {
    private static final String HEAD = "plumbline.head";

    private ResponseBodies() {}

    /** Stores whether the request method is HEAD, before the request is rerouted as GET. */
    public static void remember(RoutingContext ctx) {
        if (ctx.request().method().equals(HttpMethod.HEAD)) {
            ctx.put(HEAD, true);
        }
    }

    /** Whether the request method is HEAD. */
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
