package dev.plumbline.http.web.layout;

import dev.plumbline.http.Gzip;
import dev.plumbline.http.ResponseBodies;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.zip.Deflater;

/** A response body in the identity and the gzip content coding (RFC 1952). */
public record EncodedBody(Buffer identity, Buffer gzip) {
    static EncodedBody smallest(byte[] content) {
        return new EncodedBody(Buffer.buffer(content), Gzip.encode(content, Deflater.BEST_COMPRESSION));
    }

    public static EncodedBody fast(byte[] content) {
        return new EncodedBody(Buffer.buffer(content), Gzip.encode(content));
    }

    /** Ends the response in the coding that the client accepts. */
    void end(RoutingContext ctx) {
        ResponseBodies.end(ctx, identity, () -> gzip);
    }
}
