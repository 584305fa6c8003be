package dev.plumbline.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.Headline;
import dev.plumbline.sheet.ModuleDescription;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Report declarations in the sheets of all modules. */
class ReportDeclarationsTest {
    /** A report with as many fields needs groups. */
    private static final int MANY_FIELDS = 10;

    static Stream<ModuleDescription> modules() {
        return ModuleCatalogue.load().descriptions().stream();
    }

    @ParameterizedTest
    @MethodSource("modules")
    void everyModuleHasAHeadline(ModuleDescription module) {
        assertThat(module.headline().declarations()).isNotEmpty();
    }

    /** Sentence case, or a value of the target: {@code p=reject}, {@code 2 cookies}. */
    @ParameterizedTest
    @MethodSource("modules")
    void headlinesStartWithACapitalOrAValue(ModuleDescription module) {
        assertThat(module.headline().declarations())
                .extracting(Headline.Declaration::text)
                .allMatch(text -> text.matches("\\[?([A-Z0-9{]|[a-z-]+=).*"));
    }

    /** A code such as {@code self_signed} is not a readable start. */
    @ParameterizedTest
    @MethodSource("modules")
    void headlinesDoNotStartWithACode(ModuleDescription module) {
        List<String> codes = module.fields().stream()
                .filter(field -> field.values().stream().anyMatch(value -> value.contains("_")))
                .map(FieldDescription::name)
                .toList();

        assertThat(module.headline().declarations())
                .extracting(Headline.Declaration::text)
                .noneMatch(text -> codes.stream().anyMatch(code -> text.startsWith("{" + code + "}")));
    }

    @ParameterizedTest
    @MethodSource("modules")
    void fieldsOfALargeReportAreGrouped(ModuleDescription module) {
        List<FieldDescription> ungrouped =
                module.fields().stream().filter(field -> field.group() == null).toList();

        if (module.fields().size() >= MANY_FIELDS
                || ungrouped.size() < module.fields().size()) {
            assertThat(ungrouped).isEmpty();
        }
    }
}
