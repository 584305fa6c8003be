package dev.plumbline.support;

import java.io.ByteArrayOutputStream;

/** Encodes Brotli (RFC 7932) as uncompressed meta-blocks. */
public final class BrotliEncoder {
    private static final int MAX_BLOCK_BYTES = 1 << 16;

    private BrotliEncoder() {}

    public static byte[] encode(byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(content.length + 16);
        // The stream header is one zero bit: a window of 64 KiB. A block header is padded to a byte.
        int shift = 4;
        for (int start = 0; start < content.length; start += MAX_BLOCK_BYTES) {
            int length = Math.min(MAX_BLOCK_BYTES, content.length - start);
            int header = (length - 1) << shift | 1 << (shift + 16);
            out.write(header);
            out.write(header >> 8);
            out.write(header >> 16);
            out.write(content, start, length);
            shift = 3;
        }
        out.write(shift == 4 ? 0b110 : 0b11);
        return out.toByteArray();
    }
}
