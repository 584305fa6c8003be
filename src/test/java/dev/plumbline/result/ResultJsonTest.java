package dev.plumbline.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

class ResultJsonTest {
    private static final DateTimeFormatter SAME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    @Property
    void formatsTimesAsTheJdkDoes(
            @ForAll @LongRange(min = -62_135_596_800_000L, max = 253_402_300_799_999L) long millis) {
        Instant instant = Instant.ofEpochMilli(millis);

        assertThat(ResultJson.time(instant)).isEqualTo(SAME.format(instant));
        assertThat(Instant.parse(ResultJson.time(instant))).isEqualTo(instant);
    }
}
