package dev.plumbline.probe.tls;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/** Reads the vectors and integers of TLS messages (RFC 8446 section 3). */
final class WireReader {
    private WireReader() {}

    /**
     * Reads bytes and moves the position after them.
     *
     * @throws BufferUnderflowException if there are fewer
     */
    static ByteBuffer slice(ByteBuffer in, int length) {
        if (length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        ByteBuffer slice = in.slice(in.position(), length);
        in.position(in.position() + length);
        return slice;
    }

    static int unsignedShort(ByteBuffer in) {
        return in.getShort() & 0xffff;
    }
}
