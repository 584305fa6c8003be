package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.DateFormatter;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpDateTest {
    private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // RFC 9110 section 5.6.7
                "Sun, 06 Nov 1994 08:49:37 GMT | 1994-11-06T08:49:37Z",
                "Sunday, 06-Nov-94 08:49:37 GMT | 1994-11-06T08:49:37Z",
                "Sun Nov  6 08:49:37 1994 | 1994-11-06T08:49:37Z",
                // RFC 9110 section 10.2.3
                "Fri, 31 Dec 1999 23:59:59 GMT | 1999-12-31T23:59:59Z",
                // a year more than 50 years in the future is in the past
                "Wednesday, 01-Jan-75 00:00:00 GMT | 2075-01-01T00:00:00Z",
                "Wednesday, 01-Jan-76 00:00:00 GMT | 2076-01-01T00:00:00Z",
                "Saturday, 01-Jan-77 00:00:00 GMT | 1977-01-01T00:00:00Z",
                // another day of the week, one digit of the day, a leap second
                "Mon, 6 Nov 1994 08:49:37 GMT | 1994-11-06T08:49:37Z",
                "Sat, 31 Dec 2016 23:59:60 GMT | 2016-12-31T23:59:59Z"
            })
    void parsesFormatsOfHttp(String value, Instant expected) {
        assertThat(HttpDate.parse(value, NOW)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "-1",
                "soon",
                "1994-11-06T08:49:37Z",
                "Sun, 06 Nov 1994 08:49:37",
                "Sun, 06 Nov 1994 08:49:37 UTC",
                "Sun, 06 Nov 1994 08:49:37 +0000",
                "sun, 06 nov 1994 08:49:37 gmt",
                "Sun, 31 Feb 1994 08:49:37 GMT",
                "Sun, 06 Now 1994 08:49:37 GMT",
                "Sun, 06 Nov 1994 24:00:00 GMT",
                "Sun, 06 Nov 1994 08:60:00 GMT",
                "Sun, 06 Nov 94 08:49:37 GMT"
            })
    void rejectsOtherText(String value) {
        assertThat(HttpDate.parse(value, NOW)).isNull();
    }

    @Property
    void parsesDatesOfNetty(@ForAll @LongRange(min = 0, max = 4_000_000_000L) long second) {
        Instant time = Instant.ofEpochSecond(second);

        assertThat(HttpDate.parse(DateFormatter.format(Date.from(time)), NOW)).isEqualTo(time);
    }

    @Property
    void parsesAnyTextWithoutException(@ForAll @StringLength(max = 60) String value) {
        HttpDate.parse(value, NOW);
    }

    @Test
    void parsesLongTextInLinearTime() {
        String digits = "Sun, 0" + "6".repeat(1 << 20);
        String spaces = " ".repeat(1 << 20) + "x";

        Assertions.assertTimeoutPreemptively(Duration.ofSeconds(5), () -> {
            assertThat(HttpDate.parse(digits, NOW)).isNull();
            assertThat(HttpDate.parse(spaces, NOW)).isNull();
        });
    }
}
