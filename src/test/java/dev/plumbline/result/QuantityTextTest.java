package dev.plumbline.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantityTextTest {
    private static final Instant NOW = Instant.parse("2026-11-22T15:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "PT1H, in less than a day",
        "PT-1H, less than a day ago",
        "PT36H, in 1 day",
        "PT-36H, 1 day ago",
        "PT-252H, 10 days ago",
        "PT-276H, 11 days ago",
        "P729D, in 729 days",
        "P730D, in 2 years",
        "P-729D, 728 days ago",
        "P-11000D, 30 years ago",
    })
    void timesAreRelativeInWholeDaysOrYears(Duration distance, String text) {
        assertThat(QuantityText.relativeTime(NOW, NOW.plus(distance))).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0 ms", "3.24, 3.2 ms", "9.96, 10 ms", "84.4, 84 ms", "999.4, 999 ms", "1000, 1.00 s", "1254, 1.25 s"
    })
    void durationsHaveTwoOrThreeDigits(double ms, String text) {
        assertThat(QuantityText.milliseconds(ms)).isEqualTo(text);
    }
}
