package dev.plumbline.probe.http;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.util.Native;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.brotli.dec.BrotliInputStream;

/** Decodes content codings (RFC 9110 section 8.4) with limits on the decoded size, the window and the time. */
final class ContentDecoder {
    /** The maximum number of codings of one body. */
    static final int MAX_CODINGS = 3;

    /** The maximum zstd window is 8 MiB (RFC 9659 section 3). */
    private static final int ZSTD_WINDOW_LOG = 23;

    /**
     * The time limit of a coding: 50 times as long as 2 MiB of content take. A meta-block of Brotli with 500 bytes can
     * take milliseconds (RFC 7932 section 7.3) and decode to one byte.
     */
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final boolean CONCATENATED = true;
    private static final boolean ZSTD = isZstdAvailable();

    /** Held while a Brotli or zstd body is decoded: one window, of up to 16 MiB, exists at a time. */
    private static final Object WINDOW = new Object();

    private ContentDecoder() {}

    /**
     * Decodes a body with several codings, the last of which is decoded first. Malformed or incomplete data, and data
     * that takes too long, gives the bytes before the error.
     *
     * @param contentEncoding the value of Content-Encoding
     * @param maxBytes the maximum size after each step
     */
    static HttpBody decode(HttpBody body, String contentEncoding, int maxBytes) {
        List<String> codings = HeaderParser.split(contentEncoding.toLowerCase(Locale.ROOT), ',').stream()
                .filter(coding -> !coding.isEmpty() && !coding.equals("identity"))
                .toList();
        if (codings.size() > MAX_CODINGS) {
            return unreadable(body);
        }
        HttpBody decoded = body;
        for (int i = codings.size() - 1; i >= 0 && !decoded.unreadable(); i--) {
            decoded = decode(codings.get(i), decoded, maxBytes);
        }
        return decoded;
    }

    private static HttpBody decode(String coding, HttpBody body, int maxBytes) {
        switch (coding) {
            case "gzip", "x-gzip" -> {
                return read(ContentDecoder::gunzip, body, maxBytes);
            }
            case "deflate" -> {
                return inflate(body, maxBytes);
            }
            case "br" -> {
                synchronized (WINDOW) {
                    HttpBody decoded = read(BrotliInputStream::new, body, maxBytes);
                    // The decoder returns content when its window is full or at the end, not at the end of a part.
                    return decoded.size() == 0 && body.truncated() ? unreadable(body) : decoded;
                }
            }
            case "zstd" -> {
                synchronized (WINDOW) {
                    return ZSTD ? read(ContentDecoder::unzstd, body, maxBytes) : unreadable(body);
                }
            }
            default -> {
                return unreadable(body);
            }
        }
    }

    private static HttpBody unreadable(HttpBody body) {
        return new HttpBody(body.shared(), body.truncated(), true);
    }

    private static InputStream gunzip(InputStream in) throws IOException {
        // GZIPInputStream recurses for each empty member, of which a hostile body can have many.
        return new GzipCompressorInputStream(in, CONCATENATED);
    }

    private static InputStream unzstd(InputStream in) throws IOException {
        return new ZstdInputStreamNoFinalizer(in).setLongMax(ZSTD_WINDOW_LOG);
    }

    /** Decodes deflate (RFC 9110 section 8.4.1.2): zlib, or the raw deflate stream that some servers send. */
    private static HttpBody inflate(HttpBody body, int maxBytes) {
        byte[] encoded = body.shared();
        boolean zlib = encoded.length >= 2
                && (encoded[0] & 0x0f) == 8
                && ((encoded[0] & 0xff) * 256 + (encoded[1] & 0xff)) % 31 == 0;
        Inflater inflater = new Inflater(!zlib);
        try {
            return read(in -> new InflaterInputStream(in, inflater), body, maxBytes);
        } finally {
            inflater.end();
        }
    }

    /** The native library exists for Linux on x86-64 and aarch64. */
    private static boolean isZstdAvailable() {
        try {
            Native.load();
            return Native.isLoaded();
        } catch (LinkageError | RuntimeException missing) {
            return false;
        }
    }

    private interface Decoder {
        InputStream open(InputStream encoded) throws IOException;
    }

    /** Fails after the time limit. Decoders read a few kilobytes at a time. */
    private static final class TimeLimitedInput extends FilterInputStream {
        private final long startNanos = System.nanoTime();

        TimeLimitedInput(byte[] bytes) {
            super(new ByteArrayInputStream(bytes));
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (System.nanoTime() - startNanos > MAX_NANOS) {
                throw new IOException("the decoding takes too long");
            }
            return super.read(target, offset, length);
        }
    }

    private static HttpBody read(Decoder decoder, HttpBody body, int maxBytes) {
        byte[] decoded = new byte[Math.min(maxBytes, 8_192)];
        int size = 0;
        try (InputStream in = decoder.open(new TimeLimitedInput(body.shared()))) {
            while (true) {
                if (size == decoded.length) {
                    if (size == maxBytes) {
                        return new HttpBody(decoded, body.truncated() || in.read() >= 0);
                    }
                    decoded = Arrays.copyOf(decoded, (int) Math.min(maxBytes, decoded.length * 2L));
                }
                int count = in.read(decoded, size, decoded.length - size);
                if (count < 0) {
                    return new HttpBody(Arrays.copyOf(decoded, size), body.truncated());
                }
                size += count;
            }
        } catch (IOException | RuntimeException broken) {
            // Decoders throw unchecked exceptions for some malformed input.
            return new HttpBody(Arrays.copyOf(decoded, size), true, size == 0 || !body.truncated());
        }
    }
}
