package dev.plumbline.probe.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;

/** Decodes gzip and deflate with a limit on the decoded size. */
final class BoundedInflater {
    private static final boolean CONCATENATED = true;

    private BoundedInflater() {}

    /** Decodes gzip (RFC 1952). Malformed or incomplete data gives the bytes before the error. */
    static HttpBody gzip(byte[] encoded, boolean truncated, int maxBytes) {
        // GZIPInputStream recurses for each empty member, of which a hostile body can have many.
        try (InputStream in = new GzipCompressorInputStream(new ByteArrayInputStream(encoded), CONCATENATED)) {
            return read(in, truncated, maxBytes);
        } catch (IOException malformed) {
            return new HttpBody(new byte[0], true, true);
        }
    }

    /** Decodes deflate (RFC 9110 section 8.4.1.2): zlib, or the raw deflate stream that some servers send. */
    static HttpBody deflate(byte[] encoded, boolean truncated, int maxBytes) {
        boolean zlib = encoded.length >= 2
                && (encoded[0] & 0x0f) == 8
                && ((encoded[0] & 0xff) * 256 + (encoded[1] & 0xff)) % 31 == 0;
        Inflater inflater = new Inflater(!zlib);
        try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(encoded), inflater)) {
            return read(in, truncated, maxBytes);
        } catch (IOException malformed) {
            return new HttpBody(new byte[0], true, true);
        } finally {
            inflater.end();
        }
    }

    private static HttpBody read(InputStream in, boolean truncated, int maxBytes) {
        byte[] decoded = new byte[Math.min(maxBytes, 8_192)];
        int size = 0;
        try {
            while (true) {
                if (size == decoded.length) {
                    if (size == maxBytes) {
                        return new HttpBody(decoded, truncated || in.read() >= 0);
                    }
                    decoded = Arrays.copyOf(decoded, (int) Math.min(maxBytes, decoded.length * 2L));
                }
                int count = in.read(decoded, size, decoded.length - size);
                if (count < 0) {
                    return new HttpBody(Arrays.copyOf(decoded, size), truncated);
                }
                size += count;
            }
        } catch (IOException broken) {
            return new HttpBody(Arrays.copyOf(decoded, size), true, !truncated);
        }
    }
}
