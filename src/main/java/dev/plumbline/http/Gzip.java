package dev.plumbline.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/**
 * The gzip content coding (RFC 1952) of response bodies. Other codings would save little, and Brotli requires a native
 * library that Netty would also use for responses of targets.
 */
public final class Gzip implements AutoCloseable {
    /** Shorter bodies are not compressed. */
    public static final int MIN_BYTES = 1025;

    /** Compresses a page in less than a millisecond. */
    private static final int FAST_LEVEL = 4;

    private static final int STREAM_LEVEL = 1;
    private static final int BUFFER_BYTES = 4096;

    private final ByteArrayOutputStream encoded = new ByteArrayOutputStream(BUFFER_BYTES);
    private final LeveledOutputStream stream;

    /** Starts a stream. Close it to release native memory. */
    public Gzip() {
        try {
            stream = new LeveledOutputStream(encoded, STREAM_LEVEL);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Compresses a part of the stream. The result can be empty, because the compressor buffers its output. */
    public Buffer write(Buffer part) {
        try {
            stream.write(part.getBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return take();
    }

    /** Compresses the last part of the stream. */
    public Buffer finish(Buffer part) {
        Buffer head = write(part);
        close();
        return head.appendBuffer(take());
    }

    private Buffer take() {
        Buffer part = Buffer.buffer(encoded.toByteArray());
        encoded.reset();
        return part;
    }

    /** Releases the compressor. Idempotent. */
    @Override
    public void close() {
        try {
            stream.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Buffer encode(Buffer body) {
        return encode(body.getBytes());
    }

    public static Buffer encode(byte[] body) {
        return encode(body, FAST_LEVEL);
    }

    /** @param level as in {@link java.util.zip.Deflater} */
    public static Buffer encode(byte[] body, int level) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length / 3 + 64);
        try (GZIPOutputStream gzip = new LeveledOutputStream(out, level)) {
            gzip.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Buffer.buffer(out.toByteArray());
    }

    /** Whether the client accepts gzip (RFC 9110 §12.5.3). */
    public static boolean accepted(HttpServerRequest request) {
        String header = request.headers().get(HttpHeaders.ACCEPT_ENCODING);
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

    private static final class LeveledOutputStream extends GZIPOutputStream {
        LeveledOutputStream(ByteArrayOutputStream out, int level) throws IOException {
            super(out, BUFFER_BYTES);
            def.setLevel(level);
        }
    }
}
