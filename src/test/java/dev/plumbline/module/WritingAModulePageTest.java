package dev.plumbline.module;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class WritingAModulePageTest {
    private static final Path PAGE = Path.of("src/docs/writing-a-module.md");
    private static final Path SHEET = Path.of("src/main/resources/dev/plumbline/module/network/tcp-port.yaml");
    private static final Path CLASS = Path.of("src/main/java/dev/plumbline/module/network/TcpPort.java");

    @Test
    void showsACompleteModuleInUnder100Lines() throws IOException {
        List<String> sheet = lines(SHEET);
        List<String> type = lines(CLASS).stream()
                .filter(line -> !line.startsWith("package ") && !line.startsWith("import ") && !line.startsWith("/**"))
                .toList();

        assertThat(Files.readString(PAGE)).contains(String.join("\n", sheet), String.join("\n", type));
        assertThat(sheet.size() + type.size()).isLessThan(100);
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file).stream().filter(line -> !line.isBlank()).toList();
    }
}
