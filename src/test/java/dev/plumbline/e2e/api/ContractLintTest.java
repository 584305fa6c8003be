package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.ClientTools;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The recommended rules of Spectral and Redocly report neither errors nor warnings in the served openapi.json. */
@Tag("integration")
class ContractLintTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static Path directory;

    @BeforeAll
    static void download() throws IOException {
        directory = ClientTools.emptyDirectory("lint");
        try (ServiceUnderTest service = ServiceUnderTest.start(
                DATABASE.url(), Map.of("HTTP_PUBLIC_URL", "https://checks.example.org", "PROBE_ENABLED", "true"))) {
            Files.writeString(
                    directory.resolve("openapi.json"),
                    service.get("/openapi.json").body());
        }
    }

    @Test
    void spectralReportsNothing() throws IOException {
        Files.writeString(directory.resolve("rules.yaml"), "extends: [\"spectral:oas\"]\n");

        String report = ClientTools.run(
                directory,
                ClientTools.npmProgram("spectral"),
                "lint",
                "openapi.json",
                "--ruleset",
                "rules.yaml",
                "--fail-severity=hint");

        assertThat(report).contains("No results with a severity of 'hint' or higher found!");
    }

    @Test
    void redoclyReportsNothing() throws IOException {
        String report = ClientTools.run(
                directory,
                ClientTools.npmProgram("redocly"),
                "lint",
                "--extends=recommended",
                "--format=summary",
                "openapi.json");

        assertThat(report).contains("Your API description is valid.").doesNotContain("You have ");
    }
}
