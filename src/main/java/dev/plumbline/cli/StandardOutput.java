package dev.plumbline.cli;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/** Buffered stdout in UTF-8 that reports failed writes, which {@link PrintStream} ignores. */
final class StandardOutput extends Writer {
    private static final int BUFFER_SIZE = 64 * 1024;

    private final PrintStream stream = System.out;
    private final StringBuilder buffer = new StringBuilder(1024);
    private final Writer encoder = new OutputStreamWriter(stream, StandardCharsets.UTF_8);

    /** The process that reads stdout has closed the pipe. */
    static final class ClosedException extends IOException {
        private static final long serialVersionUID = 1;

        ClosedException() {
            super("stdout is closed");
        }
    }

    /** stdout cannot be written. {@link StandardOutputStream#exitCode} reports the cause. */
    static final class FailedException extends IOException {
        private static final long serialVersionUID = 1;

        FailedException(IOException cause) {
            super(cause);
        }
    }

    @Override
    public void write(char[] characters, int offset, int length) throws IOException {
        buffer.append(characters, offset, length);
        if (buffer.length() >= BUFFER_SIZE) {
            flush();
        }
    }

    @Override
    public void flush() throws IOException {
        if (buffer.length() == 0) {
            return;
        }
        encoder.append(buffer);
        buffer.setLength(0);
        encoder.flush();
        if (stream.checkError()) {
            IOException fault = stream instanceof StandardOutputStream checked ? checked.fault() : null;
            throw fault == null ? new ClosedException() : new FailedException(fault);
        }
    }

    @Override
    public void close() throws IOException {
        flush();
    }
}
