package dev.plumbline.http.web.layout;

import io.vertx.core.http.HttpServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Compression of what we send (RFC 1952). */
public final class GzipEncoder {
    private static final int QUICK = 4;

    private GzipEncoder() {}

    /** As small as it gets: for what is compressed once. */
    static byte[] best(byte[] plain) {
        return compress(plain, Deflater.BEST_COMPRESSION);
    }

    /** Well under a millisecond for a page: for what is compressed for one reader. */
    public static byte[] quick(byte[] plain) {
        return compress(plain, QUICK);
    }

    private static byte[] compress(byte[] plain, int level) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(plain.length / 3 + 64);
        try (GZIPOutputStream gzip = new Leveled(out, level)) {
            gzip.write(plain);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return out.toByteArray();
    }

    private static final class Leveled extends GZIPOutputStream {
        Leveled(ByteArrayOutputStream out, int level) throws IOException {
            super(out, 4096);
            def.setLevel(level);
        }
    }

    /** Whether the client takes gzip (RFC 9110, 12.5.3). */
    public static boolean accepted(HttpServerRequest request) {
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
