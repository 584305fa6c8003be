package dev.plumbline.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegexSizeTest {
    private static final String[] TOKENS = {
        "a",
        "b",
        ".",
        "\\d",
        "\\{",
        "\\(",
        "[a-z]",
        "[]a]",
        "[^]a]",
        "[[:alpha:]]",
        "[(]",
        "[\\]x]",
        "(",
        "(?:",
        "(?i)",
        ")",
        "*",
        "+",
        "?",
        "{2}",
        "{3,}",
        "{0,4}",
        "{",
        "}",
        "{,2}",
        "|",
        "^",
        "$",
        "\\pL",
        "\\x{41}",
        "\\x{1000}",
        "\\p{Greek}",
        "\\P{Greek}"
    };

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "abc | 100",
                "^[a-z0-9-]{1,63}$ | 300",
                "(\\d{1,3}\\.){3}\\d{1,3} | 100",
                "^[a-z]\\x{1000}\\x{10000}$ | 10",
                "(\\p{Greek}\\P{Greek}){3} | 50",
            })
    void usualPatternIsSmall(String pattern, long limit) {
        assertThat(RegexSize.of(pattern)).isLessThan(limit);
    }

    @ParameterizedTest
    @CsvSource({"(((a{1000}){1000}){1000})", "((((a{9}){9}){9}){9}){9}", "a{1000}{1000}", "([)]{1000}){1000}"})
    void nestedRepetitionsAreLarge(String pattern) {
        assertThat(RegexSize.of(pattern)).isGreaterThan(30_000);
    }

    @Property(tries = 3_000)
    void sizeIsAnUpperBound(@ForAll long seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i >= 0; i--) {
            text.append(TOKENS[random.nextInt(TOKENS.length)]);
        }
        String pattern = text.toString();
        long size = RegexSize.of(pattern);
        try {
            // the library adds a few instructions to each program
            assertThat((long) Pattern.compile(pattern).programSize())
                    .as(pattern)
                    .isLessThanOrEqualTo(2 * size + 10);
        } catch (PatternSyntaxException invalid) {
            assertThat(size).isNotNegative();
        }
    }
}
