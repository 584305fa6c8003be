package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResponseHeadersTest {

    /** The lines of a header, separated by semicolons, and its elements (RFC 9110 section 5.6.1.2). */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "foo,bar | foo bar",
                "foo ,bar, | foo bar",
                "foo , ,bar,charlie | foo bar charlie",
                "Foo;BAR, foo | foo bar foo",
                ", | ``",
                "`` | ``",
                "\"a,b\", c | \"a,b\" c"
            })
    void splitsLists(String lines, String expected) {
        ResponseHeaders headers = new ResponseHeaders(Arrays.stream(lines.split(";", -1))
                .map(line -> new HttpHeader("vary", line))
                .toList());

        assertThat(headers.elements("vary"))
                .isEqualTo(List.of(expected.isEmpty() ? new String[0] : expected.split(" ")));
        assertThat(headers.elements("connection")).isEmpty();
    }
}
