package dev.plumbline.cli;

import dev.plumbline.cli.report.TerminalText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads targets: first the arguments, then the lines of a file. Empty lines and lines that start with {@code #} are
 * skipped. The file is not kept in memory.
 */
final class TargetReader implements AutoCloseable {
    static final String STDIN = "-";

    /** The message if neither targets nor a file are given. */
    static final String MISSING = "No target is given. Add a target, --input FILE or --sitemap URL.";

    private static final String DIRECTORY = "is a directory";

    /** A longer line is not a target. The limit bounds the memory that a binary file can use. */
    private static final int MAX_LINE_LENGTH = 65_536;

    private final Iterator<String> arguments;
    private final @Nullable BufferedReader file;
    private final long total;
    private final StringBuilder line = new StringBuilder();
    private @Nullable String next;

    private TargetReader(List<String> arguments, @Nullable BufferedReader file, long total) {
        this.arguments = arguments.iterator();
        this.file = file;
        this.total = total;
    }

    /**
     * The error message for an input without targets.
     *
     * @param input the option {@code --input}; null if it is not set
     */
    static String empty(@Nullable String input) {
        if (input == null) {
            return MISSING;
        }
        String name = STDIN.equals(input) ? "stdin" : "File '" + TerminalText.sanitize(input) + "'";
        return name + " contains no targets. Add one target per line.";
    }

    /** The message for the file of {@code --input} that cannot be read. */
    static String unreadable(FileSystemException failure) {
        return unreadable(failure, "Check --input.");
    }

    /** The message for a file that cannot be read, with what to do. */
    static String unreadable(FileSystemException failure, String action) {
        String problem = failure instanceof NoSuchFileException
                ? "does not exist"
                : DIRECTORY.equals(failure.getReason()) ? DIRECTORY : "cannot be read";
        return "File '" + TerminalText.sanitize(failure.getFile()) + "' " + problem + ". " + action;
    }

    /** Opens a file. The JDK also opens a directory, and reports it without its name when it is read. */
    static InputStream open(Path file) throws IOException {
        requireFile(file);
        return Files.newInputStream(file);
    }

    /** @throws FileSystemException if it is a directory */
    static void requireFile(Path file) throws FileSystemException {
        if (Files.isDirectory(file)) {
            throw new FileSystemException(file.toString(), null, DIRECTORY);
        }
    }

    /**
     * Opens the input.
     *
     * @param input a file, {@link #STDIN}, or null for the arguments alone
     */
    static TargetReader open(List<String> arguments, @Nullable String input) throws IOException {
        if (input == null) {
            return new TargetReader(arguments, null, arguments.size());
        }
        if (input.equals(STDIN)) {
            return new TargetReader(arguments, reader(System.in), -1);
        }
        Path path = Path.of(input);
        long lines = -1;
        if (Files.isRegularFile(path)) {
            try (TargetReader counter = new TargetReader(List.of(), reader(open(path)), -1)) {
                for (lines = 0; counter.next() != null; lines++) {
                    // counts the targets
                }
            }
            lines += arguments.size();
        }
        return new TargetReader(arguments, reader(open(path)), lines);
    }

    private static BufferedReader reader(InputStream in) {
        // replaces malformed bytes, so that one bad line does not end the run
        return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    }

    /** The number of targets; -1 if unknown. */
    long total() {
        return total;
    }

    /** Returns the next target; null at the end. Blocks while stdin is open without data. */
    @Nullable
    String next() throws IOException {
        String target = next;
        next = null;
        if (target != null) {
            return target;
        }
        return arguments.hasNext() ? arguments.next() : readTarget(true);
    }

    /** Whether {@link #next()} returns a target without blocking. Reads available characters of an incomplete line. */
    boolean ready() throws IOException {
        if (next == null) {
            next = arguments.hasNext() ? arguments.next() : readTarget(false);
        }
        return next != null;
    }

    /** Whether the input does not contain targets. Blocks until stdin has data or ends. */
    boolean isEmpty() throws IOException {
        next = next();
        return next == null;
    }

    /** Returns the next target of the file; null at the end or, without blocking, if none is available. */
    private @Nullable String readTarget(boolean blocking) throws IOException {
        while (file != null && (blocking || file.ready())) {
            int c = file.read();
            if (c != '\n' && c != -1) {
                if (line.length() < MAX_LINE_LENGTH) {
                    line.append((char) c);
                }
                continue;
            }
            String target = line.toString().strip();
            line.setLength(0);
            if (!target.isEmpty() && !target.startsWith("#")) {
                return target;
            }
            if (c == -1) {
                return null;
            }
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
