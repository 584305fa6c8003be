package dev.plumbline.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.postgres.PostgresException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedSecretTest {
    @TempDir
    Path parent;

    @Test
    void concurrentCreationsReturnTheSameSecret() throws IOException {
        Path dir = parent.resolve("data");
        ExecutorService nodes = Executors.newFixedThreadPool(8);
        try {
            List<CompletableFuture<String>> secrets = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                secrets.add(
                        CompletableFuture.supplyAsync(() -> DataDirectory.sharedSecret(dir, "session.secret"), nodes));
            }

            String secret = secrets.get(0).join();

            assertThat(secret).matches("[0-9a-f]{48}");
            assertThat(secrets).allMatch(other -> other.join().equals(secret));
            assertThat(DataDirectory.sharedSecret(dir, "session.secret")).isEqualTo(secret);
        } finally {
            nodes.shutdownNow();
        }
        try (Stream<Path> files = Files.list(dir)) {
            assertThat(files).containsExactly(dir.resolve("session.secret"));
        }
        assertThat(mode(dir)).isEqualTo("rwx------");
        assertThat(mode(dir.resolve("session.secret"))).isEqualTo("rw-------");
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void anEmptyFileIsRejected() throws IOException {
        Files.createFile(parent.resolve("session.secret"));

        assertThatThrownBy(() -> DataDirectory.sharedSecret(parent, "session.secret"))
                .isInstanceOf(PostgresException.class)
                .hasMessageContaining("session.secret is empty");
    }

    @Test
    void aPathThatIsNotADirectoryIsReported() throws IOException {
        Path file = Files.createFile(parent.resolve("file"));

        assertThatThrownBy(() -> DataDirectory.sharedSecret(file.resolve("data"), "session.secret"))
                .isInstanceOf(PostgresException.class);
    }
}
