package dev.plumbline.tls;

import java.util.Arrays;

/**
 * Iterates over the elements of a DER encoding (ITU-T X.690) without allocating objects or copies, for encodings that
 * are too large to parse. After {@link #next}, the content of the element is from {@link #from} to {@link #to}.
 */
final class DerReader {
    static final int INTEGER = 0x02;
    static final int BIT_STRING = 0x03;
    static final int OBJECT_IDENTIFIER = 0x06;
    static final int UTC_TIME = 0x17;
    static final int GENERALIZED_TIME = 0x18;
    static final int SEQUENCE = 0x30;

    private static final int MULTI_BYTE_TAG = 0x1f;
    private static final int LONG_LENGTH = 0x80;

    private final byte[] bytes;
    private final int end;
    private int position;
    private int start;
    private int from;
    private int to;

    /** Reads the elements between two offsets. */
    DerReader(byte[] bytes, int from, int end) {
        this.bytes = bytes;
        this.position = from;
        this.start = from;
        this.from = from;
        this.to = from;
        this.end = end;
    }

    boolean atEnd() {
        return position == end;
    }

    boolean at(int tag) {
        return position < end && (bytes[position] & 0xff) == tag;
    }

    /**
     * Moves to the next element.
     *
     * @throws IllegalArgumentException if there is none or its length is not valid
     */
    DerReader next() {
        start = position;
        if ((octet(position) & MULTI_BYTE_TAG) == MULTI_BYTE_TAG) {
            throw malformed();
        }
        int length = octet(position + 1);
        int contentStart = position + 2;
        if (length > LONG_LENGTH && length <= LONG_LENGTH + 4) {
            int octets = length - LONG_LENGTH;
            long number = 0;
            for (int i = 0; i < octets; i++) {
                number = number << 8 | octet(contentStart + i);
            }
            contentStart += octets;
            length = number > end - contentStart ? -1 : (int) number;
        } else if (length >= LONG_LENGTH) {
            throw malformed();
        }
        if (length < 0 || length > end - contentStart) {
            throw malformed();
        }
        from = contentStart;
        to = contentStart + length;
        position = to;
        return this;
    }

    /** Like {@link #next}, but requires a tag. */
    DerReader next(int tag) {
        if (!at(tag)) {
            throw malformed();
        }
        return next();
    }

    /** The offset of the element's tag. */
    int start() {
        return start;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    DerReader content() {
        return new DerReader(bytes, from, to);
    }

    /**
     * A copy of the element, including its tag.
     *
     * @throws IllegalArgumentException if it has more bytes
     */
    byte[] copy(int maxBytes) {
        if (to - start > maxBytes) {
            throw malformed();
        }
        return Arrays.copyOfRange(bytes, start, to);
    }

    private int octet(int offset) {
        if (offset >= end) {
            throw malformed();
        }
        return bytes[offset] & 0xff;
    }

    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException("not DER");
    }
}
