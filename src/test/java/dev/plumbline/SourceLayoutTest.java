package dev.plumbline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks the source files of main and test code. */
class SourceLayoutTest {
    private static final Path MAIN = Path.of("src/main/java");
    private static final Path TEST = Path.of("src/test/java");
    private static final Pattern TOP_LEVEL_TYPE =
            Pattern.compile("(?m)^(?:[a-z-]+ )*(?:class|interface|enum|record|@interface) (\\w+)");
    private static final Pattern TEST_METHOD = Pattern.compile(
            "(?m)^ +@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|Example)\\b");
    private static final Pattern INTEGRATION_TAG = Pattern.compile("(?m)^@Tag\\(\"(integration|scenario)\"\\)");

    @Test
    void everySimpleNameOfATopLevelTypeIsUnique() {
        Map<String, List<Path>> filesByName = new TreeMap<>();
        Stream.of(MAIN, TEST).flatMap(root -> javaFiles(root).stream()).forEach(file -> {
            Matcher type = TOP_LEVEL_TYPE.matcher(read(file));
            while (type.find()) {
                filesByName
                        .computeIfAbsent(type.group(1), name -> new ArrayList<>())
                        .add(file);
            }
        });

        assertThat(filesByName).hasSizeGreaterThan(300).allSatisfy((name, files) -> assertThat(files)
                .hasSize(1));
    }

    @Test
    void everyTestClassOfTheRunningServiceIsAnIntegrationTestOrScenario() {
        List<Path> testClasses = javaFiles(TEST.resolve("dev/plumbline/e2e")).stream()
                .filter(file -> TEST_METHOD.matcher(read(file)).find())
                .toList();

        assertThat(testClasses).isNotEmpty().allSatisfy(file -> assertThat(read(file))
                .containsPattern(INTEGRATION_TAG));
    }

    private static List<Path> javaFiles(Path root) {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
