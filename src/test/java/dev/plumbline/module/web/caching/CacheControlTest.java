package dev.plumbline.module.web.caching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class CacheControlTest {

    @Property
    void parsesAnyTextWithoutException(
            @ForAll
                    @StringLength(max = 60)
                    @Chars({'m', 'a', 'x', '-', 'g', 'e', '=', '0', '9', '"', '\\', ',', ';', ' ', '\u00e9'})
                    String text) {
        CacheControl parsed = CacheControl.parse(text);

        assertThat(parsed.directives()).doesNotContainKey("");
        for (String name : parsed.directives().keySet()) {
            assertThat(parsed.seconds(name)).isBetween(0L, (long) Integer.MAX_VALUE);
        }
    }

    @Test
    void parsesOneMegabyteInBoundedTime() {
        for (String part : new String[] {"a=\"", "max-age=1,", "\\\"", "=", ",", "0"}) {
            String text = "max-age=" + part.repeat((1 << 20) / part.length());

            assertTimeoutPreemptively(Duration.ofSeconds(10), () -> assertThat(
                            CacheControl.parse(text).seconds("max-age"))
                    .isNotNegative());
        }
    }
}
