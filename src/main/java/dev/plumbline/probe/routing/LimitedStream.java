package dev.plumbline.probe.routing;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** A stream that fails after a number of bytes or a time. A read in progress is not interrupted. */
final class LimitedStream extends FilterInputStream {
    private final long maxBytes;
    private final Duration timeout;
    private final long startNanos;
    private long count;

    /** @param startNanos the {@link System#nanoTime()} at which the time starts */
    LimitedStream(InputStream in, long maxBytes, Duration timeout, long startNanos) {
        super(in);
        this.maxBytes = maxBytes;
        this.timeout = timeout;
        this.startNanos = startNanos;
    }

    @Override
    public int read() throws IOException {
        byte[] single = new byte[1];
        return read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
    }

    /** @throws IOException if a limit is exceeded; the message is a clause */
    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int read = super.read(buffer, offset, length);
        count += Math.max(0, read);
        if (count > maxBytes) {
            throw new IOException("it is larger than " + maxBytes + " bytes");
        }
        if (System.nanoTime() - startNanos > timeout.toNanos()) {
            throw new IOException("it was not complete after " + timeout.toSeconds() + " seconds");
        }
        return read;
    }
}
