package dev.plumbline.lab;

import static dev.plumbline.support.Descriptions.array;
import static dev.plumbline.support.Descriptions.integer;
import static dev.plumbline.support.Descriptions.isVolatile;
import static dev.plumbline.support.Descriptions.number;
import static dev.plumbline.support.Descriptions.unordered;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GoldenResultsTest {
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();

    private static final ModuleDescription COMPOSITE = ModuleDescriptionBuilder.of("all", "All", InputType.DOMAIN)
            .area("web", "Web")
            .fields(
                    integer("score", "Score", "Score."),
                    isVolatile(array("parts", "Parts", "Parts.", FieldType.OBJECT)))
            .build();

    @TempDir
    Path folder;

    private List<String> differences(boolean write, String rules, CheckResult result) {
        return new GoldenResults("lab", folder, write).differences(module(rules), "a", result);
    }

    /** Only the second of two equal results is recorded. */
    private void record(String rules, CheckResult result) {
        GoldenResults golden = new GoldenResults("lab", folder, true);
        assertThat(golden.differences(module(rules), "a", result("sample/7", 500)))
                .hasSize(1);
        assertThat(golden.differences(module(rules), "a", result)).hasSize(1);
        assertThat(golden.differences(module(rules), "a", result)).isEmpty();
    }

    private static ModuleDescription module(String rules) {
        return ModuleDescriptionBuilder.of("sample", "Sample", InputType.URL)
                .version(Integer.parseInt(rules.replace("sample/", "")))
                .fields(
                        integer("status", "Status", "Status."),
                        isVolatile(number("time_ms", "Time", "Time.")),
                        unordered(array("urls", "URLs", "URLs.", FieldType.STRING)))
                .build();
    }

    private static CheckResult result(String rules, int status, double timeMs, List<String> urls, Finding... findings) {
        return new CheckResult(
                "sample",
                rules,
                "http://a.test:40001/",
                Verdict.WARN,
                Map.of("status", status, "time_ms", timeMs, "urls", urls),
                List.of(findings),
                List.of(),
                null,
                Instant.EPOCH,
                1);
    }

    private static Finding finding(String code, @Nullable String field, String message) {
        return new Finding(Level.WARN, code, field, message, "Fix it.", null);
    }

    private static CheckResult result(String rules, int status) {
        return result(rules, status, 1.5, List.of("http://a.test:40001/", "b"), finding("w", null, "W."));
    }

    @Test
    void aResultIsRecordedIfItIsNewOrHasAHigherVersion() {
        assertThat(differences(false, "sample/1", result("sample/1", 200)))
                .singleElement()
                .asString()
                .endsWith("lab-a.json does not exist: run the test with -Dgolden.write=true");
        record("sample/1", result("sample/1", 200));
        assertThat(differences(false, "sample/1", result("sample/1", 200))).isEmpty();
        for (boolean write : new boolean[] {false, true}) {
            assertThat(differences(write, "sample/1", result("sample/1", 204)))
                    .singleElement()
                    .asString()
                    .startsWith("the result of sample changed: increase `version` in its sheet and run the test with"
                            + " -Dgolden.write=true")
                    .endsWith("fields.status: 200, then 204");
        }
        for (int status : new int[] {200, 204}) {
            assertThat(differences(false, "sample/2", result("sample/2", status)))
                    .singleElement()
                    .asString()
                    .endsWith("was recorded with other rules than sample/2 or those of a part: run the test with"
                            + " -Dgolden.write=true");
        }
        record("sample/2", result("sample/2", 204));
        assertThat(differences(false, "sample/2", result("sample/2", 204))).isEmpty();
        assertThat(differences(true, "sample/1", result("sample/1", 204)))
                .singleElement()
                .asString()
                .startsWith("the version of sample is 1, but ");
    }

    /** The result of a composite can change because of the rules of a part. */
    @Test
    void aCompositeIsRecordedAgainAfterAChangeOfThoseOfAPart() {
        recordComposite("hsts/1", 90);

        assertThat(composite(false, "hsts/1", 95)).singleElement().asString().contains("increase `version`");
        assertThat(composite(false, "hsts/2", 95)).singleElement().asString().contains("of a part: run the test");
        recordComposite("hsts/2", 95);
        assertThat(composite(false, "hsts/2", 95)).isEmpty();
        assertThat(composite(false, "mx/1", 90)).singleElement().asString().contains("increase `version`");
    }

    private void recordComposite(String partRules, int score) {
        GoldenResults golden = new GoldenResults("lab", folder, true);
        assertThat(golden.differences(COMPOSITE, "a", composite(partRules, score)))
                .hasSize(1);
        assertThat(golden.differences(COMPOSITE, "a", composite(partRules, score)))
                .isEmpty();
    }

    private List<String> composite(boolean write, String partRules, int score) {
        return new GoldenResults("lab", folder, write).differences(COMPOSITE, "a", composite(partRules, score));
    }

    private static CheckResult composite(String partRules, int score) {
        Map<String, Object> part = Map.of("module", partRules.replaceFirst("/.*", ""), "rules", partRules);
        return new CheckResult(
                "all",
                "all/1",
                "a.test",
                Verdict.PASS,
                Map.of("score", score, "parts", List.of(part)),
                List.of(),
                List.of(),
                null,
                Instant.EPOCH,
                1);
    }

    @Test
    void valuesThatDifferBetweenLaboratoriesAreNotCompared() {
        record("sample/1", result("sample/1", 200));

        assertThat(differences(
                        false,
                        "sample/1",
                        result(
                                "sample/1",
                                200,
                                9,
                                List.of("b", "http://a.test:50002/"),
                                finding("w", null, "Other."),
                                finding("slow", "time_ms", "Slow."))))
                .isEmpty();
        assertThat(differences(false, "sample/1", result("sample/1", 200, 1.5, List.of("b"), finding("w", null, ""))))
                .singleElement()
                .asString()
                .endsWith("fields.urls: [\"b\",\"http://a.test:<port>/\"], then [\"b\"]");
        assertThat(differences(false, "sample/1", result("sample/1", 200, 1.5, List.of("b", "http://a.test:1/"))))
                .singleElement()
                .asString()
                .contains("verdict: warn, then pass", "findings: [\"warn w\"], then []");
    }

    @Test
    void filesWithoutATargetAreListed() throws IOException {
        record("sample/1", result("sample/1", 200));

        assertThat(new GoldenResults("domain", folder, false).unused()).isEmpty();
        assertThat(new GoldenResults("lab", folder, false).unused())
                .containsExactly(folder.resolve("sample/lab-a.json")
                        + " does not belong to a target of the laboratory: delete it");
    }

    @Test
    void eachModuleHasResultsOfDifferentVerdicts() throws IOException {
        assertThat(GoldenResults.modules()).containsExactlyInAnyOrderElementsOf(MODULES.names());
        for (ModuleDescription module : MODULES.descriptions()) {
            List<JsonObject> recorded = GoldenResults.recorded(module.module());

            assertThat(recorded)
                    .extracting(result -> result.getString("verdict"))
                    .as(module.module())
                    .hasSizeGreaterThanOrEqualTo(2)
                    .satisfies(
                            verdicts -> assertThat(verdicts.stream().distinct()).hasSizeGreaterThan(1));
            assertThat(recorded)
                    .as("run LabTest and CompositePartsTest with -Dgolden.write=true")
                    .extracting(result -> result.getString("rules"))
                    .containsOnly(module.rules());
        }
    }
}
