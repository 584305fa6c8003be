package dev.plumbline.http.api;

import io.vertx.core.buffer.Buffer;
import java.io.InputStream;

/** An input stream over a buffer, without copying it. */
public final class BufferInputStream extends InputStream {
    private final Buffer buffer;
    private int at;

    public BufferInputStream(Buffer buffer, int from) {
        this.buffer = buffer;
        this.at = from;
    }

    @Override
    public int read() {
        return at < buffer.length() ? buffer.getByte(at++) & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int offset, int max) {
        int length = Math.min(max, buffer.length() - at);
        if (length <= 0) {
            return max == 0 ? 0 : -1;
        }
        buffer.getBytes(at, at + length, into, offset);
        at += length;
        return length;
    }
}
