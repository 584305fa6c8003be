package dev.plumbline.http.api.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.plumbline.http.problem.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineCursorTest {
    private static final String TOKEN = "job_4kJ0mZ3tQbW9xYcR1nLp7s";

    @Property(tries = 300)
    void cursorsAreReadAsWritten(@ForAll @IntRange(min = 1, max = 999_999) int line) {
        assertThat(LineCursor.line(LineCursor.fromLine(TOKEN, line), TOKEN)).isEqualTo(line);
    }

    @Property(tries = 500)
    void anyOtherTextIsRejected(@ForAll @StringLength(max = 40) String text) {
        assertStatus(text, 400);
        assertStatus(encoded(text), 400);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "i",
                "i1",
                "l1",
                "ijob_4kJ0mZ3tQbW9xYcR1nLp7s",
                "ijob_4kJ0mZ3tQbW9xYcR1nLp7s.0",
                "ijob_4kJ0mZ3tQbW9xYcR1nLp7s.-1",
                "ijob_4kJ0mZ3tQbW9xYcR1nLp7s.1000000",
                "ljob_4kJ0mZ3tQbW9xYcR1nLp7s.1"
            })
    void malformedCursorsAreRejected(String plain) {
        assertStatus(encoded(plain), 400);
    }

    @Test
    void cursorsOfOtherJobsAreRejected() {
        assertStatus(LineCursor.fromLine("job_2fPq8sVn6LkD0aXwE5tHyU", 1), 422);
    }

    private static String encoded(String plain) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertStatus(String cursor, int status) {
        assertThatThrownBy(() -> LineCursor.line(cursor, TOKEN))
                .asInstanceOf(type(ProblemException.class))
                .satisfies(rejected -> assertThat(rejected.problem().status()).isEqualTo(status))
                .satisfies(rejected -> assertThat(rejected.problem().faults())
                        .singleElement()
                        .satisfies(fault -> assertThat(fault.where()).isEqualTo("cursor")));
    }
}
