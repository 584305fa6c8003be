package dev.plumbline.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.ext.web.handler.HttpException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RawTargetTest {
    private static final String BEFORE = "/api/v1/instant/http-status/";

    @ParameterizedTest
    @CsvSource({
        "https://example.com/a?b=1, https%3A%2F%2Fexample.com%2Fa%3Fb%3D1",
        "http:/x, http%3A%2Fx",
        "example.com/, example.com%2F",
        "https://example.com/a%20b, https%3A%2F%2Fexample.com%2Fa%2520b",
        "//example.com, %2F%2Fexample.com",
        "a/b?c/d?e, a%2Fb%3Fc%2Fd%3Fe",
    })
    void rawTargetIsEncoded(String raw, String encoded) {
        assertThat(RawTarget.encoded(BEFORE + raw)).isEqualTo(BEFORE + encoded);
    }

    @ParameterizedTest
    @CsvSource({
        "https://example.com/a?b=1, https%3A%2F%2Fexample.com%2Fa%3Fb%3D1",
        "http:/x, http%3A%2Fx",
        "example.com/page?q, example.com%2Fpage%3Fq",
        "example.com/a%2Fb, example.com%2Fa%252Fb",
        "[2001:db8::1]/24, %5B2001%3Adb8%3A%3A1%5D%2F24",
    })
    void pageWithoutModule(String raw, String encoded) {
        assertThat(RawTarget.encoded("/check/" + raw)).isEqualTo("/check/" + encoded);
        assertThat(RawTarget.decoded("/check/" + encoded)).isEqualTo(raw);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/check/example.com",
                "/check/example.com/",
                "/check/example.com/?areas=web",
                "/check/example.com?contains=a/b",
                "/check/http-status/example.com",
                "/check//example.com",
                "/api/v1/instant/example.com/page",
                BEFORE + "https%3A%2F%2Fexample.com%2F?max_redirects=0",
                BEFORE + "example.com",
                BEFORE + "example.com?contains=a/b",
                BEFORE,
                "/api/v1/instant/http-status",
                "/api/v1/instant/",
                "/api/v1/instant/x?y=/z/",
                "/api/v1/tools/a/b",
            })
    void encodedOrOtherPathIsUnchanged(String uri) {
        assertThat(RawTarget.encoded(uri)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "/jobs?q=a;b&x=;, /jobs?q=a%3Bb&x=%3B",
        "/a;b?c;d, /a;b?c%3Bd",
        "/a;b?c=%3B, ",
        "/a;b, ",
    })
    void semicolonsInQueriesAreEncoded(String uri, String encoded) {
        assertThat(RawTarget.encodedSemicolons(uri)).isEqualTo(encoded);
    }

    @Property
    void anyTargetRoundTrips(@ForAll String target) {
        String wellFormed = new String(target.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        String encoded = URLEncoder.encode(wellFormed, StandardCharsets.UTF_8).replace("+", "%20");

        assertThat(RawTarget.decoded(BEFORE + encoded)).isEqualTo(wellFormed);
    }

    /** As Netty decodes a request line: Latin-1. */
    @Test
    void rawUtf8IsDecoded() {
        String raw = new String("café.example".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);

        assertThat(RawTarget.decoded(BEFORE + raw)).isEqualTo("café.example");
        assertThat(RawTarget.encoded(BEFORE + "https://" + raw)).isEqualTo(BEFORE + "https%3A%2F%2Fcaf%C3%A9.example");
    }

    @Test
    void plusSignIsNotDecodedAsSpace() {
        assertThat(RawTarget.decoded(BEFORE + "a+b%2Bc")).isEqualTo("a+b+c");
    }

    @ParameterizedTest
    @ValueSource(strings = {"%", "%4", "%zz", "%ff", "%c3%28", "%ed%a0%80"})
    void invalidPercentEncodingIsRejected(String broken) {
        assertThatThrownBy(() -> RawTarget.decoded(BEFORE + broken)).isInstanceOf(HttpException.class);
    }
}
