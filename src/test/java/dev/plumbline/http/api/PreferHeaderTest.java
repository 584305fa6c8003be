package dev.plumbline.http.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.http.api.job.PageCursor;
import io.vertx.core.MultiMap;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.NumericChars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The Prefer header, and cursors. */
class PreferHeaderTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "wait=10                            | 10 | false",
                "WAIT = 10                          | 10 | false",
                "wait=\"10\"                        | 10 | false",
                "return=minimal                     | 0  | true",
                "return=\"minimal\", wait=5         | 5  | true",
                "respond-async, wait=7; x=y; z      | 7  | false",
                "foo=\"a, wait=9\", wait=3          | 3  | false",
                "foo=\"a\\\", wait=9\"              | 0  | false",
                "wait=1, wait=2                     | 1  | false",
                "return=representation              | 0  | false",
                ", ,wait=4,                         | 4  | false",
                "wait=                              | 0  | false",
                "wait=-1                            | 0  | false",
                "wait=1.5                           | 0  | false",
                "wait=99999999999999999999          | 0  | false",
                "wait                               | 0  | false",
                "waiting=5                          | 0  | false",
                "`wait=5 return=minimal`            | 0  | false",
            })
    void knownPreferencesAreParsed(String header, int seconds, boolean minimal) {
        assertThat(PreferHeader.of(headers(header))).isEqualTo(new PreferHeader(seconds, minimal));
    }

    @Test
    void repeatedHeadersAreCombined() {
        assertThat(PreferHeader.of(headers("wait=3", "return=minimal, wait=5"))).isEqualTo(new PreferHeader(3, true));
        assertThat(PreferHeader.of(headers())).isEqualTo(new PreferHeader(0, false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"", "a=\"\\", "a;", "a;b;", "a=b;c=\"", ",", "=", "\"a\","})
    void longHeadersAreParsed(String part) {
        String header = part.repeat(16_000 / part.length()) + ", wait=5";

        assertThat(PreferHeader.of(headers(header)).waitSeconds()).isIn(0, 5);
    }

    @Property
    void cursorRoundTrips(
            @ForAll @IntRange(min = 1, max = 499) int line,
            @ForAll @AlphaChars @NumericChars @StringLength(22) String name) {
        assertThat(PageCursor.line(PageCursor.fromLine(line))).isEqualTo(line);
        assertThat(PageCursor.job(PageCursor.afterJob("job_" + name))).isEqualTo("job_" + name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "!", "ag", "bDA", "bC0x", "ajE", "bDE=x", "bDE5OTk5OTk5OTk5OTk5OTk5OTk5"})
    void invalidCursorIsRejected(String cursor) {
        assertThatThrownBy(() -> PageCursor.line(cursor)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PageCursor.job(cursor)).isInstanceOf(IllegalArgumentException.class);
    }

    /** A decoder can ignore the unused bits of the last character and the padding. */
    @Test
    void cursorHasOneSpelling() {
        String cursor = PageCursor.fromLine(123);
        assertThat(cursor).isEqualTo("bDEyMw");

        for (String spelling : List.of("bDEyMx", "bDEyMy", "bDEyMz", "bDEyMw=", "bDEyMw==")) {
            assertThatThrownBy(() -> PageCursor.line(spelling)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Property
    void anyTextIsCursorOrRejected(@ForAll String text) {
        try {
            assertThat(PageCursor.line(text)).isPositive();
        } catch (IllegalArgumentException refused) {
            assertThat(text).isNotNull();
        }
    }

    private static MultiMap headers(String... values) {
        MultiMap headers = MultiMap.caseInsensitiveMultiMap();
        for (String value : values) {
            headers.add("Prefer", value);
        }
        return headers;
    }
}
