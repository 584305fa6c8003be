package dev.plumbline.cli;

import dev.plumbline.cli.report.TerminalText;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A text file whose lines are read one after the other, and again by their offset. A temporary copy, of which only this
 * process has a handle, is used for an input that cannot be read again. Not thread-safe.
 */
final class LineFile implements Closeable {
    /** What to do about a line that is not a result. */
    static final String NDJSON = "Use the output of --output ndjson.";

    /** A longer line is not a result, which is at most 64 KiB and an input. */
    private static final int MAX_LINE_BYTES = 1 << 20;

    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int LINE_BYTES = 4 * 1024;

    private final String name;
    private final ReadableByteChannel lines;
    private final @Nullable FileChannel file;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).flip();
    private long number;
    /** The offset of the next byte in the buffer. */
    private long position;

    private long offset;

    private LineFile(String name, ReadableByteChannel lines, @Nullable FileChannel file) {
        this.name = name;
        this.lines = lines;
        this.file = file;
    }

    /**
     * Opens a file.
     *
     * @param again whether lines are read by their offset
     */
    static LineFile open(Path path, boolean again) throws IOException {
        String name = "File '" + TerminalText.sanitize(path.toString()) + "'";
        if (again && Files.exists(path) && !Files.isRegularFile(path)) {
            try (InputStream in = TargetReader.open(path)) {
                return copy(name, in);
            }
        }
        TargetReader.requireFile(path);
        FileChannel file = FileChannel.open(path);
        return new LineFile(name, file, file);
    }

    /** Opens a stream, which is not closed. See {@link #open}. */
    static LineFile of(String name, InputStream in, boolean again) throws IOException {
        return again ? copy(name, in) : new LineFile(name, Channels.newChannel(in), null);
    }

    private static LineFile copy(String name, InputStream in) throws IOException {
        Path path = Files.createTempFile("plumbline", ".ndjson");
        try {
            Files.copy(in, path, StandardCopyOption.REPLACE_EXISTING);
            FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
            return new LineFile(name, file, file);
        } finally {
            Files.delete(path);
        }
    }

    /** Returns the next line that is not blank, without its line feed; null at the end. */
    byte @Nullable [] next() throws IOException, CommandException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(LINE_BYTES);
        byte[] bytes = buffer.array();
        boolean blank = true;
        offset = position;
        while (true) {
            if (!buffer.hasRemaining() && !fill()) {
                number++;
                return blank ? null : line.toByteArray();
            }
            int start = buffer.position();
            int limit = buffer.limit();
            int end = start;
            while (end < limit && bytes[end] != '\n') {
                end++;
            }
            for (int i = start; blank && i < end; i++) {
                blank = bytes[i] >= 0 && bytes[i] <= ' ';
            }
            line.write(bytes, start, end - start);
            boolean complete = end < limit;
            buffer.position(complete ? end + 1 : end);
            position += buffer.position() - start;
            if (line.size() > MAX_LINE_BYTES) {
                throw invalid(number + 1, "longer than 1 MiB", NDJSON);
            }
            if (complete) {
                number++;
                if (!blank) {
                    return line.toByteArray();
                }
                line.reset();
                offset = position;
            }
        }
    }

    private boolean fill() throws IOException {
        buffer.clear();
        int read = lines.read(buffer);
        buffer.flip();
        return read > 0;
    }

    /** The offset of the line that {@link #next} returned. */
    long offset() {
        return offset;
    }

    /** Reads the line at an offset again. The file must have been opened for it. */
    byte[] read(long from) throws IOException {
        if (file == null) {
            throw new IllegalStateException("the file was opened to be read once");
        }
        ByteArrayOutputStream line = new ByteArrayOutputStream(LINE_BYTES);
        ByteBuffer chunk = ByteBuffer.allocate(LINE_BYTES);
        long at = from;
        while (file.read(chunk.clear(), at) > 0) {
            chunk.flip();
            int end = 0;
            while (end < chunk.limit() && chunk.get(end) != '\n') {
                end++;
            }
            line.write(chunk.array(), 0, end);
            if (end < chunk.limit()) {
                break;
            }
            at += end;
        }
        return line.toByteArray();
    }

    /** The error that the line that {@link #next} returned last is not valid. */
    CommandException invalid(String problem, String action) {
        return invalid(number, problem, action);
    }

    private CommandException invalid(long line, String problem, String action) {
        return new CommandException(
                "%s, line %d: %s. %s".formatted(name, line, TerminalText.sanitize(problem), action));
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
