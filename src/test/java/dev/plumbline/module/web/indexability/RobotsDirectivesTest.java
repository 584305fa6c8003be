package dev.plumbline.module.web.indexability;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RobotsDirectivesTest {
    private static final Set<String> GOOGLEBOT = Set.of("googlebot");

    @ParameterizedTest(name = "{index}: {0}")
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "unavailable_after: 2027-06-25 | 2027-06-25T00:00:00Z",
                "unavailable_after: 2027-06-25T15:00:00+02:00 | 2027-06-25T13:00:00Z",
                "unavailable_after: 25 Jun 2027 15:00:00 GMT | 2027-06-25T15:00:00Z",
                "unavailable_after:25 Jun 2027 15:00:00 PST | 2027-06-25T22:00:00Z",
                "unavailable_after: Fri, 25 Jun 2027 15:00:00 GMT | 2027-06-25T15:00:00Z",
                "unavailable_after: Friday, 25-Jun-27 15:00:00 GMT | 2027-06-25T15:00:00Z",
                "unavailable_after: 25-Jun-2027 15:00:00 GMT | 2027-06-25T15:00:00Z",
                "unavailable_after: 2027-06-25, unavailable_after: 2026-01-01 | 2026-01-01T00:00:00Z",
                "unavailable_after: 2027-13-45 | -",
                "unavailable_after | -"
            })
    void readsDates(String header, @Nullable Instant date) {
        RobotsDirectives directives = RobotsDirectives.ofHeaders(List.of(header), GOOGLEBOT);

        assertThat(directives.unavailableAfter()).isEqualTo(date);
        assertThat(directives.invalidDates()).hasSize(date == null ? 1 : 0);
        assertThat(directives.unknown()).isEmpty();
    }

    @Test
    void readsAFewDatesOnly() {
        String header = "unavailable_after: x,".repeat(3_000);

        RobotsDirectives directives = RobotsDirectives.ofHeaders(List.of(header, header), GOOGLEBOT);

        assertThat(directives.invalidDates()).hasSize(20);
    }

    @Property
    void acceptsAnyText(@ForAll @StringLength(max = 200) String text) {
        RobotsDirectives.ofMeta(List.of(text));
        RobotsDirectives.ofHeaders(List.of(text, "unavailable_after:" + text), GOOGLEBOT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"noindex,", "a:", ",", "unavailable_after: Fri, 1-", "googlebot: x,", "\"", "\\\","})
    void readsOneMegabyteInSeconds(String part) {
        String text = part.repeat((1 << 20) / part.length());

        RobotsDirectives directives = Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(5), () -> RobotsDirectives.ofHeaders(List.of(text), GOOGLEBOT));

        assertThat(directives.unknown()).hasSizeLessThanOrEqualTo(20);
    }
}
