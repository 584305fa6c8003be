package dev.plumbline.probe.http;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.util.Native;
import dev.plumbline.budget.CpuAllowance;
import dev.plumbline.budget.CpuPool;
import dev.plumbline.budget.LimitExceededException;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.ExceptionMessage;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.brotli.dec.BrotliInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Decodes content codings (RFC 9110 section 8.4) with limits on the decoded size, the window and the CPU time, on the
 * threads of {@link CpuPool}. A meta-block of Brotli with 500 bytes can take milliseconds (RFC 7932 section 7.3) and
 * decode to one byte. Other libraries are not used: brotli4j is a native library that Netty would use too, and
 * aircompressor accesses memory through {@code Unsafe}.
 */
final class ContentDecoder {
    /** The maximum number of codings of one body. */
    static final int MAX_CODINGS = 3;

    /** The maximum zstd window is 8 MiB (RFC 9659 section 3). */
    private static final int ZSTD_WINDOW_LOG = 23;

    /** A decoder that reads more at once would not notice in time that the CPU time is used up. */
    private static final int MAX_READ_BYTES = 1_024;

    private static final boolean ZSTD = isZstdAvailable();

    /** Held while a Brotli or zstd body is decoded: one window, of up to 16 MiB, exists at a time. */
    private static final Object WINDOW = new Object();

    private ContentDecoder() {}

    /**
     * Decodes a body with several codings, the last of which is decoded first. Malformed or incomplete data gives the
     * bytes before the error. More than one Brotli or zstd coding is not decoded, because each has a large window.
     *
     * @param contentEncoding the value of Content-Encoding
     * @param maxBytes the maximum size after each step
     * @throws CheckFailure {@code response_too_large} if the CPU time that the check has for decoding is used up
     */
    static HttpBody decode(HttpBody body, String contentEncoding, int maxBytes) throws CheckFailure {
        List<String> codings = HeaderParser.split(contentEncoding.toLowerCase(Locale.ROOT), ',').stream()
                .filter(coding -> !coding.isEmpty() && !coding.equals("identity"))
                .toList();
        long windows = codings.stream()
                .filter(coding -> coding.equals("br") || coding.equals("zstd"))
                .count();
        if (codings.size() > MAX_CODINGS || windows > 1) {
            return unreadable(body);
        }
        HttpBody decoded = body;
        for (int i = codings.size() - 1; i >= 0 && !decoded.unreadable(); i--) {
            decoded = decode(codings.get(i), decoded, maxBytes);
        }
        return decoded;
    }

    /** Decompresses a gzip file. Malformed or incomplete data gives the bytes before the error. */
    static HttpBody gunzip(HttpBody body, int maxBytes) {
        return read(new MeteredInput("gzip", body.shared(), null), ContentDecoder::gunzip, body, maxBytes);
    }

    private static HttpBody decode(String coding, HttpBody body, int maxBytes) throws CheckFailure {
        return switch (coding) {
            case "gzip", "x-gzip" -> read(coding, ContentDecoder::gunzip, body, maxBytes);
            case "deflate" -> inflate(body, maxBytes);
            case "br" -> {
                synchronized (WINDOW) {
                    HttpBody decoded = read(coding, BrotliInputStream::new, body, maxBytes);
                    // The decoder returns content when its window is full or at the end, not at the end of a part.
                    yield decoded.size() == 0 && body.truncated() ? unreadable(body) : decoded;
                }
            }
            case "zstd" -> {
                synchronized (WINDOW) {
                    yield ZSTD ? read(coding, ContentDecoder::unzstd, body, maxBytes) : unreadable(body);
                }
            }
            default -> unreadable(body);
        };
    }

    private static HttpBody unreadable(HttpBody body) {
        return new HttpBody(body.shared(), body.truncated(), true);
    }

    private static InputStream gunzip(InputStream in) throws IOException {
        // GZIPInputStream recurses for each empty member, of which a hostile body can have many.
        return GzipCompressorInputStream.builder()
                .setInputStream(in)
                .setDecompressConcatenated(true)
                .get();
    }

    private static InputStream unzstd(InputStream in) throws IOException {
        return new ZstdInputStreamNoFinalizer(in).setLongMax(ZSTD_WINDOW_LOG);
    }

    /** Decodes deflate (RFC 9110 section 8.4.1.2): zlib, or the raw deflate stream that some servers send. */
    private static HttpBody inflate(HttpBody body, int maxBytes) throws CheckFailure {
        byte[] encoded = body.shared();
        boolean zlib = encoded.length >= 2
                && (encoded[0] & 0x0f) == 8
                && ((encoded[0] & 0xff) * 256 + (encoded[1] & 0xff)) % 31 == 0;
        Inflater inflater = new Inflater(!zlib);
        try {
            return read("deflate", in -> new InflaterInputStream(in, inflater), body, maxBytes);
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

    /** Counts the CPU time between its reads and fails when it is used up. Decoders read a few kilobytes at a time. */
    private static final class MeteredInput extends FilterInputStream {
        private final String coding;
        private final @Nullable CpuAllowance allowance;
        private long countedNanos = CpuPool.threadNanos();
        private @Nullable LimitExceededException exceeded;

        /** @param allowance null if the time is not counted as decoding */
        MeteredInput(String coding, byte[] bytes, @Nullable CpuAllowance allowance) {
            super(new ByteArrayInputStream(bytes));
            this.coding = coding;
            this.allowance = allowance;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            count();
            if (exceeded != null) {
                throw new IOException(exceeded.getMessage());
            }
            return super.read(target, offset, Math.min(length, MAX_READ_BYTES));
        }

        void count() {
            long now = CpuPool.threadNanos();
            if (allowance != null && exceeded == null) {
                try {
                    allowance.useForDecoding(now - countedNanos, coding);
                } catch (LimitExceededException used) {
                    exceeded = used;
                }
            }
            countedNanos = now;
        }

        void throwIfExceeded() throws CheckFailure {
            if (exceeded != null) {
                throw new CheckFailure(ErrorCode.RESPONSE_TOO_LARGE, ExceptionMessage.of(exceeded));
            }
        }
    }

    private static HttpBody read(String coding, Decoder decoder, HttpBody body, int maxBytes) throws CheckFailure {
        MeteredInput input = new MeteredInput(coding, body.shared(), CpuPool.current());
        HttpBody decoded = read(input, decoder, body, maxBytes);
        input.throwIfExceeded();
        return decoded;
    }

    private static HttpBody read(MeteredInput input, Decoder decoder, HttpBody body, int maxBytes) {
        byte[] decoded = new byte[Math.min(maxBytes, 8_192)];
        int size = 0;
        try (InputStream in = decoder.open(input)) {
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
        } finally {
            input.count();
        }
    }
}
