package dev.plumbline.http.web.layout;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinksTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://example.com/",
                "HTTP://EXAMPLE.COM",
                "https://example.com/a?b=c#d",
                "https://[2001:db8::1]:8443/",
                "mailto:someone@example.com",
            })
    void webAndMailUrlsAreLinks(String text) {
        assertThat(Links.external(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "example.com",
                "/path",
                "//example.com/",
                "javascript:alert(1)",
                "JaVaScRiPt:alert(1)",
                " https://example.com/",
                "java\nscript:alert(1)",
                "https://example.com/\r\nx",
                "data:text/html,x",
                "vbscript:x",
                "file:///etc/passwd",
                "ftp://example.com/",
                "https://bank.example@evil.example/",
                "https:///path",
                "https://",
                "https://example.com/\"onmouseover=x",
                "https://example.com/<script>",
            })
    void otherTextIsNotALink(String text) {
        assertThat(Links.external(text)).isNull();
    }
}
