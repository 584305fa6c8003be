package dev.plumbline.http.api.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.ResultJson;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.ContractValidator;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import java.nio.charset.StandardCharsets;

/** Verifies results against the tools list. */
public final class ResultContract {
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();
    private static final ContractValidator CONTRACT = new ContractValidator();

    private ResultContract() {}

    /** Fails unless the result has the declared fields and findings and its JSON Schemas hold. */
    public static void assertHolds(ModuleDescription module, CheckResult result) {
        assertThat(result.fields().keySet())
                .containsExactlyElementsOf(
                        module.fields().stream().map(FieldDescription::name).toList());
        assertThat(module.findings())
                .extracting(FindingCode::code)
                .containsAll(result.findings().stream().map(Finding::code).toList());
        JsonObject answer = new JsonObject(new String(ResultJson.write(result), StandardCharsets.UTF_8))
                .put("waited_ms", 0)
                .put("cached", false)
                .put("expires_at", ResultJson.time(result.checkedAt()));
        OutputUnit outcome = Validator.create(
                        JsonSchema.of(ToolSchemas.result(module)),
                        new JsonSchemaOptions()
                                .setBaseUri("https://plumbline.invalid/")
                                .setDraft(Draft.DRAFT202012)
                                .setOutputFormat(OutputFormat.Basic))
                .validate(answer);
        assertThat(outcome.getValid()).as(answer + ": " + outcome.getErrors()).isTrue();
        if (MODULES.find(module.module()) != null) {
            OutputUnit published =
                    CONTRACT.validate(ModuleOperations.pascalCase(module.module()) + "Result", answer.encode());
            assertThat(published.getValid())
                    .as(answer + ": " + published.getErrors())
                    .isTrue();
        }
    }
}
