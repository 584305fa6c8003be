package dev.plumbline.module.mail.bimi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SvgLogoTest {
    /** A valid logo. */
    static final String SVG =
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg version="1.2" baseProfile="tiny-ps" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">
              <title>Example</title>
              <defs><linearGradient id="g"><stop stop-color="#fff"/></linearGradient></defs>
              <rect width="100" height="100" fill="url(#g)"/>
              <use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#g"/>
            </svg>
            """;

    private static SvgLogo parse(String svg) {
        return SvgLogo.parse(svg.getBytes(StandardCharsets.UTF_8));
    }

    /** Each logo is the valid one with a replacement. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "Example|Beispiel ü|~~",
                " fill=\"url(#g)\"| style=\"fill: url( '#g' )\"|~~",
                "<rect|<style>.a{fill:#fff}</style><rect|~~",
                "<title>Example</title>||invalid",
                "<title>Example</title>|<title> </title>|invalid",
                "<title>Example</title>|<g><title>Example</title></g>|invalid",
                "baseProfile=\"tiny-ps\"|baseProfile=\"tiny\"|invalid",
                "baseProfile=\"tiny-ps\"||invalid",
                "version=\"1.2\"|version=\"1.1\"|invalid",
                "http://www.w3.org/2000/svg|http://example.com/|invalid",
                "<svg |<svg x=\"0\" |invalid",
                "<rect|<script>alert(1)</script><rect|invalid",
                "<rect|<s:script xmlns:s=\"http://www.w3.org/2000/svg\"/><rect|invalid",
                "<rect|<animate attributeName=\"x\"/><rect|invalid",
                "<rect|<set attributeName=\"x\"/><rect|invalid",
                "<rect|<image href=\"data:image/png;base64,AAAA\"/><rect|invalid",
                "<rect|<foreignObject/><rect|invalid",
                "<rect|<a href=\"#g\"><g/></a><rect|invalid",
                "<rect |<rect onload=\"alert(1)\" |invalid",
                "xlink:href=\"#g\"|xlink:href=\"https://example.com/x.svg#g\"|invalid",
                "xlink:href=\"#g\"|xlink:href=\"javascript:alert(1)\"|invalid",
                "url(#g)|url(https://example.com/x.svg#g)|invalid",
                "<rect|<style>@import 'https://example.com/a.css'</style><rect|invalid",
                "<svg|<?xml-stylesheet href=\"https://example.com/a.css\"?><svg|invalid",
                "<svg|<!DOCTYPE svg [<!ENTITY a \"b\">]><svg|invalid",
                "<svg|<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://a.test/svg11.dtd\"><svg|invalid",
                "</svg>||invalid",
                "<rect|&unknown;<rect|invalid",
                "0 0 100 100|0 0 100 50|not square",
                "0 0 100 100|0,0,100.0,100|~~",
                "0 0 100 100|0 0 100|not square",
                "0 0 100 100|0 0 a a|not square",
                " viewBox=\"0 0 100 100\"||not square",
            })
    void evaluatesEachLogo(String part, @Nullable String replacement, String fault) {
        String svg = SVG.replace(part, replacement == null ? "" : replacement);
        assertThat(svg).isNotEqualTo(SVG);

        SvgLogo logo = parse(svg);

        assertThat(logo.errors().isEmpty()).as("%s", logo.errors()).isEqualTo(!fault.equals("invalid"));
        if (logo.errors().isEmpty()) {
            assertThat(logo.square()).isEqualTo(fault.isEmpty());
        }
    }

    @Test
    void doesNotRetrieveOrExpandEntities() {
        String laughs = "<!DOCTYPE svg [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>";

        assertThat(parse(laughs + SVG).errors()).containsExactly("The file contains a document type declaration.");
    }

    @Test
    void limitsDepthAndErrors() {
        assertThat(parse("<svg>" + "<g>".repeat(1_000)).errors())
                .contains("The elements are nested more than 256 levels deep.");
        assertThat(parse("<svg>" + "<script/><image/><a/>".repeat(1_000) + "</svg>")
                        .errors())
                .hasSizeBetween(5, SvgLogo.MAX_ERRORS);
    }

    @Provide
    Arbitrary<String> logos() {
        return Arbitraries.of(
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.2\" baseProfile=\"tiny-ps\">",
                        "</svg>",
                        "<title>",
                        "</title>",
                        "<g",
                        "/>",
                        ">",
                        "<",
                        "&lt;",
                        "&",
                        "<![CDATA[",
                        "]]>",
                        "<!--",
                        "-->",
                        "<?",
                        "?>",
                        "<!DOCTYPE",
                        "x=\"",
                        "\"",
                        "href=\"#a\"",
                        "\u0000",
                        "\ufeff",
                        "\u00e9",
                        " ")
                .list()
                .ofMaxSize(40)
                .map(list -> String.join("", list));
    }

    @Property(tries = 1000)
    void evaluatesAnyLogo(@ForAll("logos") String text) {
        SvgLogo logo = parse(text);

        if (logo.errors().isEmpty()) {
            assertThat(text).contains("<svg xmlns", "<title>", "</svg>");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"<a>", "<a/>", "<!--", "<![CDATA[", "<a b='", "&amp;", " ", "<?a", "url(", "<a onload=''/>"})
    void parsesAMegabyteOfHostileTextInSeconds(String piece) {
        String text = piece.repeat(1_000_000 / piece.length());

        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            parse(text);
            parse("<svg a=\"" + text.replace("<", "").replace("&", "") + "\"/>");
        });
    }
}
