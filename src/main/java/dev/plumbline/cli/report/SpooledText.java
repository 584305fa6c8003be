package dev.plumbline.cli.report;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Text in a temporary file, for formats whose first line depends on all results. */
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

    /** Copies the text to a writer and deletes the file. */
    void drainTo(Writer out) throws IOException {
        writer.close();
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            reader.transferTo(out);
        } finally {
            Files.delete(file);
        }
    }
}
