package dev.plumbline.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.ClientTools;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The GitHub Action and the GitLab CI job match the JSON schemas of their formats. */
@Tag("scenario")
class CiSchemasScenario {
    @ParameterizedTest
    @CsvSource({"vendor.github-actions, github/action.yml", "vendor.gitlab-ci, gitlab/plumbline.gitlab-ci.yml"})
    void fileMatchesTheSchema(String schema, String file) throws IOException {
        String output =
                ClientTools.run(Path.of("src/deploy"), ClientTools.checkJsonschema(), "--builtin-schema", schema, file);

        assertThat(output).contains("ok -- validation done");
    }
}
