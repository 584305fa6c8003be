package dev.plumbline.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Checks that src/docs/modules.md matches the descriptions of the modules. */
class ModulesDocumentTest {
    private static final Path PAGE = Path.of("src/docs/modules.md");

    @Test
    void pageMatchesTheDescriptionsOfTheModules() throws IOException {
        String written = ModulesDocument.of(ModuleCatalogue.load());
        if (Boolean.getBoolean("modules.write")) {
            Files.writeString(PAGE, written);
        }

        assertThat(Files.exists(PAGE) ? Files.readString(PAGE) : "")
                .as("%s; to regenerate it: mvn test -Dtest=ModulesDocumentTest -Dmodules.write=true", PAGE)
                .isEqualTo(written);
    }
}
