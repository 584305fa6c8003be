package dev.plumbline.cli;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A temporary file, of which only this process has a handle, with copies of inputs that cannot be read again. Not
 * thread-safe.
 */
final class SpoolFile implements Closeable {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final FileChannel file;

    SpoolFile() throws IOException {
        Path path = Files.createTempFile("plumbline", ".ndjson");
        try {
            file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } finally {
            Files.delete(path);
        }
    }

    FileChannel channel() {
        return file;
    }

    /** Appends the lines of an input, and returns them. */
    LineFile append(String name, InputStream in) throws IOException {
        long start = file.size();
        file.position(start);
        byte[] bytes = new byte[BUFFER_BYTES];
        for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
            write(ByteBuffer.wrap(bytes, 0, read));
        }
        // the last line can be incomplete, and must not continue with the next input
        write(ByteBuffer.wrap(new byte[] {'\n'}));
        file.position(start);
        return new LineFile(name, new Unclosed(file), start);
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }

    /** The file stays open when its lines have been read. */
    private record Unclosed(FileChannel file) implements ReadableByteChannel {
        @Override
        public int read(ByteBuffer buffer) throws IOException {
            return file.read(buffer);
        }

        @Override
        public boolean isOpen() {
            return file.isOpen();
        }

        @Override
        public void close() {
            // closed by the spool file
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
