package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.Host;
import dev.plumbline.check.Target;
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
          /a%20b%  | http://a/a%20b%
          /a\\b    | http://a/a%5Cb
          /caf\u00c3\u00a9 | http://a/caf%C3%A9
          """)
    void encodesCharactersThatAreNotAllowedInUrls(String location, String expected) {
        assertThat(RedirectLocation.resolve(BASE, location)).isEqualTo(expected);
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
                "localhost:80/x",
                "http:g",
                "http:/g"
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
