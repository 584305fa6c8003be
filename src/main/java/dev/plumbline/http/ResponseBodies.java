package dev.plumbline.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Supplier;

/**
 * Ends responses. A response to HEAD has the headers of the response to GET and no body. Vert.x implements this for
 * HTTP/1.1 only. JSON bodies over 1 KiB are compressed if the client accepts gzip. The compression of Vert.x adds a
 * codec to every connection, compresses a cached body for each request, and does not set Vary.
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

    /** Begins a response that contains a secret or depends on the account. */
    public static HttpServerResponse beginPrivate(RoutingContext ctx, int status) {
        return ctx.response()
                .setStatusCode(status)
                .putHeader("Cache-Control", "private, no-store")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader(RequestId.HEADER, RequestId.of(ctx));
    }

    /** Ends the response. The body is compressed if it is JSON without a content coding. */
    public static void end(RoutingContext ctx, Buffer body) {
        HttpServerResponse response = ctx.response();
        String type = response.headers().get(HttpHeaders.CONTENT_TYPE);
        if (type != null && type.endsWith("json") && !response.headers().contains(HttpHeaders.CONTENT_ENCODING)) {
            end(ctx, body, () -> Gzip.encode(body));
        } else {
            endEncoded(ctx, body);
        }
    }

    /**
     * Ends the response in the content coding that the client accepts.
     *
     * @param gzip returns the compressed body; called if the body is longer than 1 KiB and the client accepts gzip
     */
    public static void end(RoutingContext ctx, Buffer body, Supplier<Buffer> gzip) {
        HttpServerResponse response = ctx.response();
        if (body.length() < Gzip.MIN_BYTES) {
            endEncoded(ctx, body);
            return;
        }
        addVary(response, "Accept-Encoding");
        if (Gzip.accepted(ctx.request())) {
            response.putHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
            endEncoded(ctx, gzip.get());
        } else {
            endEncoded(ctx, body);
        }
    }

    private static void endEncoded(RoutingContext ctx, Buffer body) {
        end(ctx.response(), headOnly(ctx), body);
    }

    /** Ends the response without compression. */
    public static void end(HttpServerResponse response, boolean headOnly, Buffer body) {
        if (headOnly) {
            response.putHeader("Content-Length", Integer.toString(body.length()))
                    .end();
        } else {
            response.end(body);
        }
    }

    /** Ends a response that was sent in parts. In HTTP/1.0, closing the connection ends the body. */
    public static void endParts(RoutingContext ctx, Buffer last) {
        ctx.response().end(last);
        if (ctx.response().streamId() < 0 && ctx.request().version() == HttpVersion.HTTP_1_0) {
            ctx.request().connection().close();
        }
    }

    /** Adds request headers that select the response to Vary, unless the response must not be stored. */
    public static void addVary(HttpServerResponse response, String headers) {
        if ("no-store".equals(response.headers().get(HttpHeaders.CACHE_CONTROL))) {
            return;
        }
        String present = response.headers().get(HttpHeaders.VARY);
        if (present == null) {
            response.putHeader(HttpHeaders.VARY, headers);
        } else if (!present.contains(headers)) {
            response.putHeader(HttpHeaders.VARY, present + ", " + headers);
        }
    }
}
