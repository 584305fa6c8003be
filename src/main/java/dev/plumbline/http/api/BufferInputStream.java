package dev.plumbline.http.api;

import io.vertx.core.buffer.Buffer;
import java.io.InputStream;

/** Reads a buffer where it lies: large ones are not copied for it. */
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
    public int read(byte[] into, int offset, int most) {
        int length = Math.min(most, buffer.length() - at);
        if (length <= 0) {
            return most == 0 ? 0 : -1;
        }
        buffer.getBytes(at, at + length, into, offset);
        at += length;
        return length;
    }
}
