package dev.plumbline.target;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnicodeNameTest {

    @ParameterizedTest
    @CsvSource({
        "xn--bcher-kva.example, bücher.example (xn--bcher-kva.example)",
        "a.xn--bcher-kva.xn--p1ai, a.bücher.рф (a.xn--bcher-kva.xn--p1ai)",
        "xn--strae-oqa.de, straße.de (xn--strae-oqa.de)",
        "xn--80adxhks.ru, москва.ru (xn--80adxhks.ru)",
        "xn--wgv71a119e.jp, 日本語.jp (xn--wgv71a119e.jp)",
        "https://xn--bcher-kva.example:8443/a?b, https://bücher.example:8443/a?b (xn--bcher-kva.example)",
        "xn--bcher-kva.example:443, bücher.example:443 (xn--bcher-kva.example)",
        "xn--ls8h.la, 💩.la (xn--ls8h.la)",
        "who@xn--bcher-kva.example, who@bücher.example (xn--bcher-kva.example)",
    })
    void showsUnicodeNamesWithTheirALabels(String target, String shown) {
        assertThat(UnicodeName.of(target)).hasToString(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example.com",
                "127.0.0.1",
                "https://[2001:db8::1]:443/xn--bcher-kva",
                "https://example.com/xn--bcher-kva?xn--bcher-kva",
                "xn--80ak6aa92e.com", // Cyrillic letters that look like "apple"
                "xn--pypal-4ve.com", // "paypal" with one Cyrillic letter
                "xn--bcher-kv.example", // no Punycode of anything
                "xn--a.example",
                "xn--.example",
                "xn--abc-.example"
            })
    void keepsConfusableNamesInALabels(String target) {
        assertThat(UnicodeName.of(target)).hasToString(target);
    }
}
