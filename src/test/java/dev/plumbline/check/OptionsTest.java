package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    private static final ModuleDescription MODULE = ModuleDescriptionBuilder.of("m", "M", InputType.DOMAIN)
            .options(
                    OptionDescription.choice("method", "Method", "How.", "auto", "head", "get"),
                    Descriptions.listOption(
                            "types", "Types", "Which.", List.of("A"), Pattern.compile("A|AAAA|TXT"), 10, 20),
                    Descriptions.textOption("word", "Word", "A word.", Pattern.compile("[a-z]+"), 10))
            .build();

    @ParameterizedTest
    @ValueSource(strings = {"get", "GET", "Get"})
    void acceptsChoicesInAnyCase(String given) {
        Options options = Options.parse(MODULE, Map.of("method", given)).options();

        assertThat(options.text("method")).isEqualTo("get");
        assertThat(options.key())
                .isEqualTo(
                        Options.parse(MODULE, Map.of("method", "get")).options().key());
    }

    @ParameterizedTest
    @ValueSource(strings = {"AAAA,TXT", "aaaa,txt", "Aaaa,TxT"})
    void convertsToUpperCaseIfThePatternRequiresIt(String given) {
        assertThat(Options.parse(MODULE, Map.of("types", given)).options().list("types"))
                .containsExactly("AAAA", "TXT");
        assertThat(Options.parse(MODULE, Map.of("types", "a")).options().given())
                .isEmpty();
    }

    @Test
    void rejectsValuesOutsideThePattern() {
        assertThat(Options.parse(MODULE, Map.of("method", "put", "types", "mx", "word", "WORD"))
                        .faults())
                .extracting(Options.Fault::name)
                .containsExactlyInAnyOrder("method", "types", "word");
    }
}
