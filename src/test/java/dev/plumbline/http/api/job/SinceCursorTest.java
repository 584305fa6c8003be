package dev.plumbline.http.api.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.plumbline.bus.JobMessage.FinishedLine;
import dev.plumbline.http.problem.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SinceCursorTest {
    private static final String TOKEN = "job_4kJ0mZ3tQbW9xYcR1nLp7s";

    @Property(tries = 300)
    void cursorsAreReadAsWritten(
            @ForAll @LongRange(min = 0, max = 999_999_999_999L) long version,
            @ForAll @IntRange(max = 499) int index,
            @ForAll boolean end) {
        SinceCursor cursor = new SinceCursor(version, end ? SinceCursor.END : index);

        assertThat(SinceCursor.of(cursor.text(TOKEN), TOKEN)).isEqualTo(cursor);
    }

    @Property(tries = 500)
    void anyOtherTextIsRejected(@ForAll @StringLength(min = 1, max = 40) String text) {
        assertStatus(text, 400);
        assertStatus(encoded(text), 400);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s",
                "l1",
                "sjob_4kJ0mZ3tQbW9xYcR1nLp7s",
                "sjob_4kJ0mZ3tQbW9xYcR1nLp7s.",
                "sjob_4kJ0mZ3tQbW9xYcR1nLp7s.-1",
                "sjob_4kJ0mZ3tQbW9xYcR1nLp7s.1.",
                "sjob_4kJ0mZ3tQbW9xYcR1nLp7s.1.2.3",
                "sjob_4kJ0mZ3tQbW9xYcR1nLp7s.9999999999999999999",
                "jjob_4kJ0mZ3tQbW9xYcR1nLp7s"
            })
    void malformedCursorsAreRejected(String plain) {
        assertStatus(encoded(plain), 400);
    }

    @Test
    void aCursorOfAnotherJobIsRejected() {
        assertStatus(new SinceCursor(1, 2).text("job_0000000000000000000000"), 422);
    }

    @Test
    void linesAreOrderedByVersionAndIndex() {
        SinceCursor cursor = new SinceCursor(5, 7);

        assertThat(cursor.isBefore(new FinishedLine(9, 4))).isFalse();
        assertThat(cursor.isBefore(new FinishedLine(7, 5))).isFalse();
        assertThat(cursor.isBefore(new FinishedLine(8, 5))).isTrue();
        assertThat(cursor.isBefore(new FinishedLine(0, 6))).isTrue();
        assertThat(new SinceCursor(5, SinceCursor.END).isBefore(new FinishedLine(499, 5)))
                .isFalse();
        assertThat(cursor.completeVersion()).isEqualTo(4);
        assertThat(new SinceCursor(5, SinceCursor.END).completeVersion()).isEqualTo(5);
        assertThat(SinceCursor.of("", TOKEN).isBefore(new FinishedLine(0, 1))).isTrue();
    }

    private static String encoded(String plain) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static void assertStatus(String text, int status) {
        assertThatThrownBy(() -> SinceCursor.of(text, TOKEN))
                .asInstanceOf(type(ProblemException.class))
                .extracting(rejection -> rejection.problem().status())
                .isEqualTo(status);
    }
}
