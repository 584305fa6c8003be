package dev.plumbline.cli;

import com.google.common.base.Strings;
import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * {@link System#out} of a command. Keeps the cause of the first failed write, which {@link PrintStream} ignores. It is
 * flushed after each line feed.
 */
public final class StandardOutput extends PrintStream {
    /** The error if the output is not text and stdout is a terminal. */
    static final String NOT_FOR_TERMINAL =
            "A workbook is not text. Redirect stdout to a file, for example with > results.xlsx.";

    private static final int BUFFER_SIZE = 64 * 1024;

    private final FirstFailure file;

    /** The process that reads stdout has closed the pipe. */
    static final class ClosedException extends IOException {
        private static final long serialVersionUID = 1;

        ClosedException() {
            super("stdout is closed");
        }
    }

    /** stdout cannot be written. {@link #exitCode} reports the cause. */
    static final class FailedException extends IOException {
        private static final long serialVersionUID = 1;

        FailedException(IOException cause) {
            super(cause);
        }
    }

    private static final class FirstFailure extends FilterOutputStream {
        private volatile @Nullable IOException cause;

        FirstFailure(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException failed) {
                cause = cause == null ? failed : cause;
                throw failed;
            }
        }
    }

    /** @param out unbuffered */
    public StandardOutput(OutputStream out, Charset charset) {
        this(new FirstFailure(out), charset);
    }

    private StandardOutput(FirstFailure file, Charset charset) {
        super(new BufferedOutputStream(file), true, charset);
        this.file = file;
    }

    /** Replaces {@link System#out}, with the same charset. */
    public static StandardOutput install() {
        // the first property exists since JDK 19, the second one is set for a terminal
        String charset = System.getProperty(
                "stdout.encoding",
                System.getProperty(
                        "sun.stdout.encoding", Charset.defaultCharset().name()));
        StandardOutput out = new StandardOutput(new FileOutputStream(FileDescriptor.out), Charset.forName(charset));
        System.setOut(out);
        return out;
    }

    /** A buffered writer in UTF-8 to {@link System#out}, whose {@code flush} reports a failed write. */
    static Writer writer() {
        return new BufferedWriter(new OutputStreamWriter(stream(), StandardCharsets.UTF_8), BUFFER_SIZE);
    }

    /** A buffered stream to {@link System#out}, whose {@code flush} reports a failed write. */
    static OutputStream stream() {
        StandardOutput stdout = (StandardOutput) System.out;
        return new BufferedOutputStream(stdout, BUFFER_SIZE) {
            @Override
            public synchronized void flush() throws IOException {
                super.flush();
                if (stdout.checkError()) {
                    IOException fault = stdout.fault();
                    throw fault == null ? new ClosedException() : new FailedException(fault);
                }
            }
        };
    }

    /** Whether stdout of the process is a terminal. */
    static boolean isTerminal() {
        return isTerminal(1);
    }

    /** Whether a file descriptor is a terminal. The JDK has no method for stderr. */
    static boolean isTerminal(int descriptor) {
        try {
            Path file = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor));
            return file.startsWith("/dev/pts") || file.toString().startsWith("/dev/tty") || file.endsWith("console");
        } catch (IOException | UnsupportedOperationException notLinux) {
            return false;
        }
    }

    /** Why stdout cannot be written; null if no write failed or the reader of stdout has closed the pipe. */
    private @Nullable IOException fault() {
        IOException cause = file.cause;
        boolean closed = cause != null
                && Strings.nullToEmpty(cause.getMessage())
                        .toLowerCase(Locale.ROOT)
                        .contains("broken pipe");
        return closed ? null : cause;
    }

    /**
     * Reports an error on stderr.
     *
     * @param code the exit code of the command
     * @return the exit code of the process, which is not 0 after an error
     */
    public int exitCode(int code) {
        flush();
        IOException fault = fault();
        if (fault == null) {
            return code;
        }
        StandardError.fail("stdout cannot be written: " + fault.getMessage() + ". Redirect it to a writable file.");
        return code == 0 ? UsageErrorHandler.EXIT_CODE : code;
    }
}
