package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class TargetReaderTest {
    /** A program that buffers its output writes blocks that end within a line. */
    @Test
    @Timeout(30)
    void anIncompleteLineDoesNotBlock() throws IOException {
        InputStream stdin = System.in;
        try (PipedOutputStream writer = new PipedOutputStream();
                PipedInputStream pipe = new PipedInputStream(writer)) {
            System.setIn(pipe);
            TargetReader reader = TargetReader.open(List.of("first"), TargetReader.STDIN);
            write(writer, "# comment\nsecond\n\nthi");

            assertThat(reader.ready()).isTrue();
            assertThat(reader.next()).isEqualTo("first");
            assertThat(reader.ready()).isTrue();
            assertThat(reader.next()).isEqualTo("second");
            assertThat(reader.ready()).isFalse();
            write(writer, "rd");
            assertThat(reader.ready()).isFalse();
            writer.close();
            assertThat(reader.next()).isEqualTo("third");
            assertThat(reader.next()).isNull();
        } finally {
            System.setIn(stdin);
        }
    }

    private static void write(PipedOutputStream writer, String text) throws IOException {
        writer.write(text.getBytes(StandardCharsets.UTF_8));
        writer.flush();
    }
}
