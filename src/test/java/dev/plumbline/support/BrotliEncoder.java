package dev.plumbline.support;

import java.io.ByteArrayOutputStream;

/** Encodes Brotli (RFC 7932) as uncompressed meta-blocks. */
public final class BrotliEncoder {
    private static final int MAX_BLOCK_BYTES = 1 << 16;

    private BrotliEncoder() {}

    /**
     * Data of one byte per meta-block that takes long to decode: each meta-block has 256 literal block types and a
     * context map of 16,384 entries that the inverse move-to-front transform reverses (RFC 7932 section 7.3).
     */
    public static byte[] slow(int bytes) {
        BitOutput out = new BitOutput();
        out.write(0, 1); // window of 64 KiB
        while (out.size() < bytes) {
            out.write(0, 20); // one byte, compressed, not the last meta-block
            out.write(0b1111111_111_1, 11); // 256 literal block types
            out.write(0b01, 13); // one block type
            out.write(0b01, 9); // one block count
            out.write(3, 2);
            out.write(0, 8); // one insert-and-copy and one distance block type, no direct distances
            for (int i = 0; i < 32; i++) {
                out.write(0, 16); // context modes
            }
            out.write(0b1111111_111_1, 11); // 256 literal trees
            out.write(255 << 5 | 0b0001_0, 13); // context map: without run lengths, all entries are 255
            out.write(1, 1); // inverse move-to-front transform
            out.write(0, 1); // one distance tree
            for (int i = 0; i < 256; i++) {
                out.write('A' << 4 | 0b01, 12); // a literal tree with one symbol
            }
            out.write(8 << 4 | 0b01, 14); // insert one literal
            out.write(0b01, 10);
        }
        out.write(0b11, 8);
        return out.bytes.toByteArray();
    }

    /** Writes bits from the least significant one. */
    private static final class BitOutput {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private int current;
        private int count;

        int size() {
            return bytes.size();
        }

        void write(int value, int bits) {
            for (int i = 0; i < bits; i++) {
                current |= (value >> i & 1) << count++;
                if (count == 8) {
                    bytes.write(current);
                    current = 0;
                    count = 0;
                }
            }
        }
    }

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
