package dev.plumbline.module;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.result.Level;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FindingCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The rules for finding codes of all sheets. {@code SheetReader} verifies the form of the titles, and that each finding
 * has exactly one.
 */
class FindingVocabularyTest {
    private static final Path SHEETS = Path.of("src/main/resources/dev/plumbline/module");

    private static final Set<String> LEVELS =
            Arrays.stream(Level.values()).map(Level::id).collect(toSet());

    /** The findings with a message by code and sheet. */
    private static final Map<String, Map<String, JsonNode>> DECLARED = new TreeMap<>();

    private static final List<String> SHARED = new ArrayList<>();

    static {
        YAMLMapper mapper = new YAMLMapper();
        try (Stream<Path> files = Files.walk(SHEETS)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".yaml"))
                    .sorted()
                    .toList()) {
                JsonNode findings = mapper.readTree(file.toFile()).path("findings");
                if (file.equals(SHEETS.resolve("findings.yaml"))) {
                    findings.fieldNames().forEachRemaining(SHARED::add);
                    continue;
                }
                findings.fields().forEachRemaining(finding -> {
                    if (level(finding.getValue()) != null) {
                        DECLARED.computeIfAbsent(finding.getKey(), code -> new TreeMap<>())
                                .put(file.getFileName().toString(), finding.getValue());
                    }
                });
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String level(JsonNode finding) {
        return LEVELS.stream().filter(finding::has).findFirst().orElse(null);
    }

    @Test
    void sharedSheetHasTheCodesOfSeveralSheets() {
        assertThat(SHARED)
                .isSorted()
                .containsExactlyElementsOf(DECLARED.keySet().stream()
                        .filter(code -> DECLARED.get(code).size() > 1)
                        .toList());
    }

    @Test
    void titleNamesOneCode() {
        Map<String, Set<String>> codes = ModuleCatalogue.load().descriptions().stream()
                .flatMap(module -> module.findings().stream())
                .collect(
                        groupingBy(code -> code.title().toLowerCase(Locale.ROOT), mapping(FindingCode::code, toSet())));

        assertThat(codes)
                .hasSize(DECLARED.size())
                .allSatisfy((title, same) -> assertThat(same).as(title).hasSize(1));
    }

    @Test
    void differentLevelHasAReason() {
        DECLARED.forEach((code, sheets) -> {
            Set<String> usual = sheets.values().stream()
                    .filter(finding -> !finding.has("level_reason"))
                    .map(FindingVocabularyTest::level)
                    .collect(toSet());
            assertThat(usual).as(code + " has one level without a reason").hasSize(1);
            assertThat(sheets.values().stream().filter(finding -> finding.has("level_reason")))
                    .as(code)
                    .allSatisfy(finding -> {
                        assertThat(usual).doesNotContain(level(finding));
                        assertThat(finding.get("level_reason").asText()).endsWith(".");
                    });
        });
    }

    @Test
    void codesAndFieldsHaveAmericanSpelling() {
        Stream<String> fields = ModuleCatalogue.load().descriptions().stream()
                .flatMap(module -> module.fields().stream())
                .map(FieldDescription::name);

        assertThat(Stream.concat(DECLARED.keySet().stream(), fields)).allSatisfy(name -> assertThat(name)
                .doesNotContainPattern("oris|[^rt]ise[ds]?(_|$)|our(_|$)|analys|centre"));
    }
}
