package dev.plumbline.http.api.job;

import io.vertx.core.buffer.Buffer;
import java.io.InputStream;

/** Reads a buffer without copying it. */
final class BufferInputStream extends InputStream {
    private final Buffer buffer;
    private int position;

    BufferInputStream(Buffer buffer, int from) {
        this.buffer = buffer;
        this.position = from;
    }

    @Override
    public int read() {
        return position < buffer.length() ? buffer.getByte(position++) & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int offset, int max) {
        int length = Math.min(max, buffer.length() - position);
        if (length <= 0) {
            return max == 0 ? 0 : -1;
        }
        buffer.getBytes(position, position + length, target, offset);
        position += length;
        return length;
    }
}
