package dev.plumbline.http.web.layout;

import dev.plumbline.http.ResponseBodies;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** A response body in the identity and the gzip content coding (RFC 1952). */
public record EncodedBody(Buffer identity, Buffer gzip) {
    /** Compresses a page in less than a millisecond. */
    private static final int FAST_LEVEL = 4;

    static EncodedBody smallest(byte[] content) {
        return new EncodedBody(Buffer.buffer(content), gzip(content, Deflater.BEST_COMPRESSION));
    }

    public static EncodedBody fast(byte[] content) {
        return new EncodedBody(Buffer.buffer(content), gzip(content));
    }

    static Buffer gzip(byte[] content) {
        return gzip(content, FAST_LEVEL);
    }

    private static Buffer gzip(byte[] content, int level) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(content.length / 3 + 64);
        try (GZIPOutputStream gzip = new LeveledOutputStream(out, level)) {
            gzip.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Buffer.buffer(out.toByteArray());
    }

    private static final class LeveledOutputStream extends GZIPOutputStream {
        LeveledOutputStream(ByteArrayOutputStream out, int level) throws IOException {
            super(out, 4096);
            def.setLevel(level);
        }
    }

    /** Ends the response in the coding that the client accepts. */
    void end(RoutingContext ctx) {
        if (gzipAccepted(ctx.request())) {
            ctx.response().putHeader("Content-Encoding", "gzip");
            ResponseBodies.end(ctx, gzip);
        } else {
            ResponseBodies.end(ctx, identity);
        }
    }

    /** Whether the client accepts gzip (RFC 9110 §12.5.3). */
    static boolean gzipAccepted(HttpServerRequest request) {
        String header = request.getHeader("Accept-Encoding");
        if (header == null) {
            return false;
        }
        for (String coding : header.toLowerCase(Locale.ROOT).split(",", -1)) {
            String[] parts = coding.split(";", -1);
            if (parts[0].strip().equals("gzip")) {
                return parts.length == 1 || !parts[1].strip().matches("q=0(\\.0{0,3})?");
            }
        }
        return false;
    }
}
