package dev.plumbline.cli.report;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Text in a temporary file, for formats whose first line depends on all results, or that read results twice. */
final class SpooledText {
    private final Path file;
    private final BufferedWriter writer;

    SpooledText() throws IOException {
        file = Files.createTempFile("plumbline-report", ".tmp");
        // the file is also removed if the command is interrupted
        file.toFile().deleteOnExit();
        writer = Files.newBufferedWriter(file);
    }

    void append(String text) throws IOException {
        writer.write(text);
    }

    Writer writer() {
        return writer;
    }

    /** Reads the text from its start. */
    BufferedReader read() throws IOException {
        writer.flush();
        return Files.newBufferedReader(file);
    }

    /** Copies the text to a writer and deletes the file. */
    void drainTo(Writer out) throws IOException {
        try (BufferedReader reader = read()) {
            reader.transferTo(out);
        } finally {
            delete();
        }
    }

    /** Deletes the file. */
    void delete() throws IOException {
        writer.close();
        Files.delete(file);
    }
}
