package dev.plumbline.http.api;

import com.google.common.base.Suppliers;
import com.google.common.hash.Hashing;
import dev.plumbline.http.Gzip;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An immutable document that pages of any origin can read. Thread-safe. */
public final class StaticDocument {
    private static final String JSON = "application/json";

    private final Buffer body;
    private final String contentType;

    /** The value of the header Link; null for none. */
    private final @Nullable String link;

    private final String etag;

    /** Compressed on first use, which shortens the start. */
    private final Supplier<Buffer> gzip;

    public StaticDocument(JsonObject json) {
        this(json, null);
    }

    /** @param link the value of the header {@code Link}; null for none */
    public StaticDocument(JsonObject json, @Nullable String link) {
        this(json.toBuffer(), JSON, link);
    }

    /**
     * A document that is sent whatever the header {@code Accept} contains, unless it is JSON.
     *
     * @param link the value of the header {@code Link}; null for none
     */
    public StaticDocument(Buffer body, String contentType, @Nullable String link) {
        this.body = body;
        this.contentType = contentType;
        this.link = link;
        this.gzip = Suppliers.memoize(() -> Gzip.encode(body));
        // weak, because the content codings share it
        this.etag =
                "W/\"" + Hashing.sha256().hashBytes(body.getBytes()).toString().substring(0, 32) + '"';
    }

    /** The document as JSON. */
    public Buffer json() {
        return body.copy();
    }

    public void send(RoutingContext ctx) {
        if (contentType.equals(JSON) && !ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
            return;
        }
        HttpServerResponse response = ctx.response()
                .putHeader("Cache-Control", "public, max-age=300")
                .putHeader("ETag", etag)
                .putHeader("Vary", "Accept-Encoding")
                .putHeader("Access-Control-Allow-Origin", "*")
                .putHeader("Access-Control-Expose-Headers", "ETag, Link, X-Request-Id")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader(RequestId.HEADER, RequestId.of(ctx));
        if (ContentNegotiation.matches(ctx, etag)) {
            response.setStatusCode(304).end();
            return;
        }
        response.putHeader("Content-Type", contentType);
        if (link != null) {
            response.putHeader("Link", link);
        }
        ResponseBodies.end(ctx, body, gzip);
    }
}
