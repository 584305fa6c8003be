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

class ComparisonCursorTest {
    private static final String LATER = "job_4kJ0mZ3tQbW9xYcR1nLp7s";
    private static final String EARLIER = "job_2fPq8sVn6LkD0aXwE5tHyU";

    @Property(tries = 300)
    void cursorsAreReadAsWritten(@ForAll @IntRange(min = 1, max = 999_999) int row) {
        assertThat(ComparisonCursor.row(ComparisonCursor.fromRow(LATER, EARLIER, row), LATER, EARLIER))
                .isEqualTo(row);
    }

    @Property(tries = 500)
    void anyOtherTextIsRejected(@ForAll @StringLength(max = 40) String text) {
        assertStatus(text, 400);
        assertStatus(encoded(text), 400);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "c",
                "c1",
                "cjob_4kJ0mZ3tQbW9xYcR1nLp7s.1",
                "cjob_4kJ0mZ3tQbW9xYcR1nLp7s.job_2fPq8sVn6LkD0aXwE5tHyU",
                "cjob_4kJ0mZ3tQbW9xYcR1nLp7s.job_2fPq8sVn6LkD0aXwE5tHyU.0",
                "cjob_4kJ0mZ3tQbW9xYcR1nLp7s.job_2fPq8sVn6LkD0aXwE5tHyU.-1",
                "cjob_4kJ0mZ3tQbW9xYcR1nLp7s.job_2fPq8sVn6LkD0aXwE5tHyU.1000000",
                "ljob_4kJ0mZ3tQbW9xYcR1nLp7s.job_2fPq8sVn6LkD0aXwE5tHyU.1"
            })
    void malformedCursorsAreRejected(String plain) {
        assertStatus(encoded(plain), 400);
    }

    @Test
    void cursorsOfOtherComparisonsAreRejected() {
        assertStatus(ComparisonCursor.fromRow(EARLIER, LATER, 1), 422);
        assertStatus(ComparisonCursor.fromRow(LATER, LATER, 1), 422);
        assertStatus(ComparisonCursor.fromRow(EARLIER, EARLIER, 1), 422);
    }

    private static String encoded(String plain) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertStatus(String cursor, int status) {
        assertThatThrownBy(() -> ComparisonCursor.row(cursor, LATER, EARLIER))
                .asInstanceOf(type(ProblemException.class))
                .satisfies(rejected -> assertThat(rejected.problem().status()).isEqualTo(status))
                .satisfies(rejected -> assertThat(rejected.problem().faults())
                        .singleElement()
                        .satisfies(fault -> assertThat(fault.where()).isEqualTo("cursor")));
    }
}
