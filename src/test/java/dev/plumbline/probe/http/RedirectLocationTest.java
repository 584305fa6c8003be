package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.target.Host;
import dev.plumbline.target.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedirectLocationTest {
    private static final Target.Url BASE = new Target.Url("http", new Host("a", null), 80, "/b/c/d;p?q");

    /** The examples of RFC 3986 section 5.4 with HTTP results. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
          g             | http://a/b/c/g
          ./g           | http://a/b/c/g
          g/            | http://a/b/c/g/
          /g            | http://a/g
          //g           | http://g/
          ?y            | http://a/b/c/d;p?y
          g?y           | http://a/b/c/g?y
          #s            | http://a/b/c/d;p?q
          g#s           | http://a/b/c/g
          g?y#s         | http://a/b/c/g?y
          ;x            | http://a/b/c/;x
          g;x?y#s       | http://a/b/c/g;x?y
          .             | http://a/b/c/
          ./            | http://a/b/c/
          ..            | http://a/b/
          ../           | http://a/b/
          ../g          | http://a/b/g
          ../..         | http://a/
          ../../        | http://a/
          ../../g       | http://a/g
          ../../../g    | http://a/g
          ../../../../g | http://a/g
          /./g          | http://a/g
          /../g         | http://a/g
          g.            | http://a/b/c/g.
          .g            | http://a/b/c/.g
          g..           | http://a/b/c/g..
          ..g           | http://a/b/c/..g
          ./../g        | http://a/b/g
          ./g/.         | http://a/b/c/g/
          g/./h         | http://a/b/c/g/h
          g/../h        | http://a/b/c/h
          g;x=1/./y     | http://a/b/c/g;x=1/y
          g;x=1/../y    | http://a/b/c/y
          g?y/./x       | http://a/b/c/g?y/./x
          g?y/../x      | http://a/b/c/g?y/../x
          http://h      | http://h/
          HTTPS://h/p   | https://h/p
          http://h?q    | http://h/?q
          http://h#f    | http://h/
          //h:8080/p    | http://h:8080/p
          """)
    void resolvesReferences(String location, String expected) {
        assertThat(RedirectLocation.resolve(BASE, location)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
          /a b     | http://a/a%20b
          /a"<>^`{}| http://a/a%22%3C%3E%5E%60%7B%7D
          /a'[]?'[]^`{} | http://a/a'[]?%27[]^`{}
          /a%20b%  | http://a/a%20b%
          /50%off  | http://a/50%off
          /foo%41?%42 | http://a/foo%41?%42
          /%c3%a9  | http://a/%c3%a9
          /caf\u00c3\u00a9 | http://a/caf%C3%A9
          """)
    void encodesOnlyCharactersThatAreNotAllowedInUrls(String location, String expected) {
        assertThat(RedirectLocation.resolve(BASE, location)).isEqualTo(expected);
    }

    /** As browsers do (WHATWG URL Standard), beyond RFC 3986. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
          /a\\b        | http://a/a/b
          \\\\h\\b      | http://h/b
          /\\h         | http://h/
          ///h         | http://h/
          http:\\\\h    | http://h/
          http:///h/b  | http://h/b
          http:g       | http://a/b/c/g
          http:/g      | http://a/g
          http:?y      | http://a/b/c/d;p?y
          https:g      | https://g/
          https:/g     | https://g/
          .%2e/g       | http://a/b/g
          %2E/g        | http://a/b/c/g
          g?a\\b       | http://a/b/c/g?a\\b
          """)
    void resolvesReferencesAsBrowsers(String location, String expected) {
        assertThat(RedirectLocation.resolve(BASE, location)).isEqualTo(expected);
    }

    @Test
    void ignoresTabsAndLineBreaks() {
        assertThat(RedirectLocation.resolve(BASE, "\u0001 ht\ttp://h/\ta\nb \u001f"))
                .isEqualTo("http://h/ab");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "file:///etc/passwd",
                "gopher://h/",
                "javascript:alert(1)",
                "data:text/plain,x",
                "ftp://h/",
                "mailto:a@b",
                "localhost:80/x"
            })
    void rejectsOtherSchemes(String location) {
        assertThat(RedirectLocation.resolve(BASE, location)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://b\u00c3\u00bccher.example/x", "//b\u00c3\u00bccher.example/x"})
    void decodesHostsInUtf8(String location) {
        assertThat(RedirectLocation.resolve(BASE, location)).isEqualTo("http://b\u00fccher.example/x");
    }
}
