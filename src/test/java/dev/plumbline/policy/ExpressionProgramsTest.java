package dev.plumbline.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ExpressionProgramsTest {
    private static final ModuleDescription MODULE = ModuleDescriptionBuilder.of("sample", "Sample", InputType.URL)
            .fields(Descriptions.integer("status", "Status", "A number."))
            .build();

    private final ExpressionPrograms programs = new ExpressionPrograms();

    private InvalidExpressionException reject(String text) {
        return catchThrowableOfType(InvalidExpressionException.class, () -> programs.get(MODULE, text));
    }

    @Test
    void anInvalidExpressionIsCompiledOnce() throws InvalidExpressionException {
        InvalidExpressionException first = reject("stauts == 200");

        assertThat(reject("stauts == 200")).isSameAs(first);
        assertThat(first.getStackTrace()).isEmpty();
        assertThat(programs.contains(MODULE, "stauts == 200")).isTrue();
        assertThat(programs.contains(MODULE, "status == 200")).isFalse();
        assertThat(programs.get(MODULE, "status == 200")).isSameAs(programs.get(MODULE, "status == 200"));
    }

    @Test
    void theMemoryOfInvalidExpressionsIsLimited() {
        String tooLong = "x".repeat(10_000);

        IntStream.range(0, 200).forEach(i -> reject(tooLong + i));

        assertThat(IntStream.range(0, 200).filter(i -> programs.contains(MODULE, tooLong + i)))
                .hasSizeBetween(1, 60);
    }
}
