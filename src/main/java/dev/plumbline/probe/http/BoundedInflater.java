package dev.plumbline.probe.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;

/** Undoes gzip and deflate without ever holding more than it is allowed to. */
final class BoundedInflater {
    private static final boolean ALL_MEMBERS = true;

    private BoundedInflater() {}

    /** RFC 1952; what is no gzip, or breaks off, gives what could be read. */
    static HttpBody gzip(byte[] packed, boolean cut, int maxBytes) {
        // the JDK's own reader calls itself for each member that is empty, of which there may be many
        try (InputStream in = new GzipCompressorInputStream(new ByteArrayInputStream(packed), ALL_MEMBERS)) {
            return read(in, cut, maxBytes);
        } catch (IOException noGzip) {
            return new HttpBody(new byte[0], true, true);
        }
    }

    /**
     * RFC 9110 section 8.4.1.2: zlib; or the bare deflate stream that some servers send instead of
     * it.
     */
    static HttpBody deflate(byte[] packed, boolean cut, int maxBytes) {
        boolean zlib = packed.length >= 2
                && (packed[0] & 0x0f) == 8
                && ((packed[0] & 0xff) * 256 + (packed[1] & 0xff)) % 31 == 0;
        Inflater inflater = new Inflater(!zlib);
        try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(packed), inflater)) {
            return read(in, cut, maxBytes);
        } catch (IOException closing) {
            return new HttpBody(new byte[0], true, true);
        } finally {
            inflater.end();
        }
    }

    private static HttpBody read(InputStream in, boolean cut, int maxBytes) {
        byte[] plain = new byte[Math.min(maxBytes, 8_192)];
        int size = 0;
        try {
            while (true) {
                if (size == plain.length) {
                    if (size == maxBytes) {
                        return new HttpBody(plain, cut || in.read() >= 0);
                    }
                    plain = Arrays.copyOf(plain, (int) Math.min(maxBytes, plain.length * 2L));
                }
                int count = in.read(plain, size, plain.length - size);
                if (count < 0) {
                    return new HttpBody(Arrays.copyOf(plain, size), cut);
                }
                size += count;
            }
        } catch (IOException broken) {
            return new HttpBody(Arrays.copyOf(plain, size), true, !cut);
        }
    }
}
