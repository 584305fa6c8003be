package dev.plumbline.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that src/docs/modules.md, src/docs/probe-metrics.md and the pages in src/docs/modules match the descriptions
 * of the modules.
 */
class ModulesDocumentTest {
    private static final Path DOCS = Path.of("src/docs");
    private static final Path FOLDER = DOCS.resolve("modules");

    @Test
    void pagesMatchTheDescriptionsOfTheModules() throws IOException {
        Map<String, String> pages = ModulesDocument.pages(ModuleCatalogue.load());
        if (Boolean.getBoolean("modules.write")) {
            Files.createDirectories(FOLDER);
            for (Path obsolete : files().keySet().stream().map(DOCS::resolve).toList()) {
                Files.delete(obsolete);
            }
            for (Map.Entry<String, String> page : pages.entrySet()) {
                Files.writeString(DOCS.resolve(page.getKey()), page.getValue());
            }
        }

        assertThat(files())
                .as("to regenerate the pages: mvn test -Dtest=ModulesDocumentTest -Dmodules.write=true")
                .isEqualTo(pages);
    }

    /** The present pages by path. */
    private static Map<String, String> files() throws IOException {
        Map<String, String> files = new HashMap<>();
        try (Stream<Path> pages = Files.list(FOLDER)) {
            for (Path page : Stream.concat(
                            Stream.of("modules.md", ModulesDocument.METRICS)
                                    .map(DOCS::resolve)
                                    .filter(Files::exists),
                            pages)
                    .toList()) {
                files.put(DOCS.relativize(page).toString(), Files.readString(page));
            }
        }
        return files;
    }
}
