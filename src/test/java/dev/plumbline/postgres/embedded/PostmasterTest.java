package dev.plumbline.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostmasterTest {
    @TempDir
    Path dir;

    @Tag("integration")
    @Test
    void aZombieProcessIsNotAlive() throws IOException, InterruptedException {
        Process parent = new ProcessBuilder("sh", "-c", "true & exec sleep 60").start();
        try {
            Await.until(() -> parent.children().anyMatch(child -> !new Postmaster(child.pid()).alive()));
            assertThat(parent.children()).isNotEmpty();
            assertThat(new Postmaster(parent.pid()).alive()).isTrue();
        } finally {
            parent.destroyForcibly().waitFor();
        }
        assertThat(new Postmaster(parent.pid()).alive()).isFalse();
    }

    @Test
    void anInvalidPidFileIsIgnored() throws IOException {
        assertThat(Postmaster.of(dir)).isEmpty();
        for (String content : new String[] {"", "x\n", "-1\n", "0\n", "999999999\n"}) {
            Files.writeString(dir.resolve("postmaster.pid"), content);
            assertThat(Postmaster.of(dir)).as(content).isEmpty();
        }
    }

    @Test
    void aProcessOfAnotherDirectoryIsIgnored() throws IOException {
        long self = ProcessHandle.current().pid();
        Files.writeString(dir.resolve("postmaster.pid"), self + "\n");
        assertThat(Postmaster.of(dir)).isEmpty();
    }

    @Tag("integration")
    @Test
    void theProcessOfTheClusterDirectoryIsFound() throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder("sleep", "60").directory(dir.toFile()).start();
        try {
            Files.writeString(dir.resolve("postmaster.pid"), process.pid() + "\n");
            assertThat(Postmaster.of(dir)).contains(new Postmaster(process.pid()));
        } finally {
            process.destroyForcibly().waitFor();
        }
    }
}
