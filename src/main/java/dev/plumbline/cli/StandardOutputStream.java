package dev.plumbline.cli;

import com.google.common.base.Strings;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@link System#out} of a command. Keeps the cause of the first failed write, which {@link PrintStream} ignores. */
public final class StandardOutputStream extends PrintStream {
    private final FirstFailure file;

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
    public StandardOutputStream(OutputStream out, Charset charset) {
        this(new FirstFailure(out), charset);
    }

    private StandardOutputStream(FirstFailure file, Charset charset) {
        super(new BufferedOutputStream(file), true, charset);
        this.file = file;
    }

    /** Replaces {@link System#out}, with the same charset. */
    public static StandardOutputStream install() {
        // the first property exists since JDK 19, the second one is set for a terminal
        String charset = System.getProperty(
                "stdout.encoding",
                System.getProperty(
                        "sun.stdout.encoding", Charset.defaultCharset().name()));
        StandardOutputStream out =
                new StandardOutputStream(new FileOutputStream(FileDescriptor.out), Charset.forName(charset));
        System.setOut(out);
        return out;
    }

    /** Why stdout cannot be written; null if no write failed or the reader of stdout has closed the pipe. */
    @Nullable
    IOException fault() {
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
