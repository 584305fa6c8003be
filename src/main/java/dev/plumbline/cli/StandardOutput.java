package dev.plumbline.cli;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Buffered stdout in UTF-8 that reports failed writes, which {@link PrintStream} ignores. */
final class StandardOutput extends BufferedWriter {
    private static final int BUFFER_SIZE = 64 * 1024;

    private final PrintStream stream = System.out;

    StandardOutput() {
        super(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), BUFFER_SIZE);
    }

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
    public void flush() throws IOException {
        super.flush();
        if (stream.checkError()) {
            IOException fault = stream instanceof StandardOutputStream checked ? checked.fault() : null;
            throw fault == null ? new ClosedException() : new FailedException(fault);
        }
    }
}
