package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.support.ModuleDescriptionBuilder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EmailTargetTest {
    private static final ModuleDescription EMAIL =
            ModuleDescriptionBuilder.of("e", "E", InputType.EMAIL).build();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "Jane.Doe+tag@Example.COM. | Jane.Doe+tag@example.com",
                "jörg@münchen.de | jörg@xn--mnchen-3ya.de",
                "\"a b\\\"@c\"@example.com | \"a b\\\"@c\"@example.com",
            })
    void normalizesEmailAddresses(String raw, String expected) throws InvalidTargetException {
        assertThat(TargetAsserts.normal(EMAIL, raw)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example.com",
                "@example.com",
                "a@",
                "a..b@example.com",
                ".a@example.com",
                "a b@example.com",
                "a@[127.0.0.1]",
                "a@127.0.0.1",
                "a@b_c.com",
                "a@b@example.com",
                "\"a@example.com",
                "a@example.com:25",
                "a@example.com/x",
                "<a@example.com>"
            })
    void rejectsInvalidEmailAddresses(String raw) {
        assertThatThrownBy(() -> TargetParser.parse(EMAIL, raw)).isInstanceOf(InvalidTargetException.class);
    }
}
