package dev.plumbline.cli;

import dev.plumbline.cli.report.TerminalText;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The lines of a text file or stream, one after the other, with their offsets. Not thread-safe. */
final class LineFile implements Closeable {
    /** What to do about a line that is not a result. */
    static final String NDJSON = "Use the output of --output ndjson.";

    /** A longer line is not a result, which is at most 64 KiB and an input. */
    private static final int MAX_LINE_BYTES = 1 << 20;

    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int LINE_BYTES = 4 * 1024;

    private final String name;
    private final ReadableByteChannel lines;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).flip();
    private long number;
    /** The offset of the next byte in the buffer. */
    private long position;

    private long offset;

    /**
     * Reads a channel.
     *
     * @param name for errors
     * @param position the offset of the first line
     */
    LineFile(String name, ReadableByteChannel lines, long position) {
        this.name = name;
        this.lines = lines;
        this.position = position;
    }

    /** Opens a file. */
    static LineFile open(Path path) throws IOException {
        TargetReader.requireFile(path);
        return new LineFile(name(path), FileChannel.open(path), 0);
    }

    /** The name of a file in errors. */
    static String name(Path path) {
        return "File '" + TerminalText.sanitize(path.toString()) + "'";
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

    /** Reads the line at an offset of a file. */
    static byte[] read(FileChannel file, long from) throws IOException {
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
