package dev.plumbline.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.ModuleDescriptionBuilder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlTargetTest {
    private static final ModuleDescription URL =
            ModuleDescriptionBuilder.of("u", "U", InputType.URL).build();
    private static final ModuleDescription WEBSOCKET = ModuleDescriptionBuilder.of("w", "W", InputType.URL)
            .schemes("wss", "ws")
            .build();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "example.com | https://example.com/",
                "  EXAMPLE.com.  | https://example.com/",
                "http://Example.COM:80 | http://example.com/",
                "https://example.com:443/a | https://example.com/a",
                "http://example.com:443/ | http://example.com:443/",
                "https://example.com:0443/ | https://example.com/",
                "https://example.com:/ | https://example.com/",
                "http:/example.com/x | http://example.com/x",
                "http:example.com | http://example.com/",
                "HTTP:///example.com | http://example.com/",
                "//example.com/x | https://example.com/x",
                "example.com:8443/x?y | https://example.com:8443/x?y",
                "example.com?q=1 | https://example.com/?q=1",
                "example.com/? | https://example.com/?",
                "example.com/a#b?c | https://example.com/a",
                "example.com#b | https://example.com/",
                "example.com/a/./b/../c | https://example.com/a/c",
                "example.com/a/.. | https://example.com/",
                "example.com/../../a/. | https://example.com/a/",
                "example.com/a/%2e%2E/b | https://example.com/b",
                "example.com//a//b | https://example.com//a//b",
                "example.com/%7euser/%c3%a9 | https://example.com/%7euser/%c3%a9",
                "example.com/foo%41?%42 | https://example.com/foo%41?%42",
                "example.com/é?ü=ß | https://example.com/%C3%A9?%C3%BC=%C3%9F",
                "example.com/a b | https://example.com/a%20b",
                "example.com/%zz%2 | https://example.com/%zz%2",
                "example.com/50%off?50% | https://example.com/50%off?50%",
                "example.com/a%2fb%3Fc | https://example.com/a%2fb%3Fc",
                "example.com/?a[]=1&b={}^`\\ | https://example.com/?a[]=1&b={}^`\\",
                "example.com/[a]{}^` | https://example.com/[a]%7B%7D%5E%60",
                "example.com/'<>\"?'<>\" | https://example.com/'%3C%3E%22?%27%3C%3E%22",
                "example.com/a/.%2e/%2E/b/%2e | https://example.com/b/",
                "example.com/a/...%2e/%2e%2e%2e | https://example.com/a/...%2e/%2e%2e%2e",
                "example.com/a?b/../c | https://example.com/a?b/../c",
                "example.com/?a=%0d%0aX: 1 | https://example.com/?a=%0d%0aX:%201",
                "münchen.de | https://xn--mnchen-3ya.de/",
                "MÜNCHEN。DE | https://xn--mnchen-3ya.de/",
                "faß.de | https://xn--fa-hia.de/",
                "XN--MNCHEN-3YA.de | https://xn--mnchen-3ya.de/",
                "r3---sn-abc.example.com | https://r3---sn-abc.example.com/",
                "ｅｘａｍｐｌｅ.com | https://example.com/",
                "ex%61mple.com/x | https://example.com/x",
                "http://m%C3%BCnchen.de | http://xn--mnchen-3ya.de/",
                "http://2130706433/ | http://127.0.0.1/",
                "http://0177.0.0.1/ | http://127.0.0.1/",
                "http://0x7f.1/ | http://127.0.0.1/",
                "http://0X7F000001/ | http://127.0.0.1/",
                "http://127.1/ | http://127.0.0.1/",
                "http://127.0.0.1./ | http://127.0.0.1/",
                "http://１２７.０.０.１/ | http://127.0.0.1/",
                "http://①②⑦.0.0.1/ | http://127.0.0.1/",
                "http://127。0｡0．1/ | http://127.0.0.1/",
                "http://%31%32%37.0.0.1/ | http://127.0.0.1/",
                "http://0/ | http://0.0.0.0/",
                "http://0x/ | http://0.0.0.0/",
                "http://[::1]/ | http://[::1]/",
                "http://[0:0:0:0:0:0:0:1]:8080 | http://[::1]:8080/",
                "http://[::FFFF:7f00:1]/ | http://[::ffff:127.0.0.1]/",
                "http://[::ffff:127.0.0.1]/ | http://[::ffff:127.0.0.1]/",
                "http://[2001:DB8:0:0:1:0:0:1]/ | http://[2001:db8::1:0:0:1]/",
                "http://[2001:db8:0:1:1:1:1:1]/ | http://[2001:db8:0:1:1:1:1:1]/",
                "http://[64:ff9b::8.8.8.8]/ | http://[64:ff9b::808:808]/",
            })
    void normalizesUrls(String raw, String expected) throws InvalidTargetException {
        assertThat(TargetAsserts.normal(URL, raw)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | empty",
                "'   ' | empty",
                "ftp://example.com/ | scheme",
                "javascript:alert(1) | Port alert(1) is not valid",
                "file:///etc/passwd | scheme",
                "file:/etc/passwd | scheme",
                "gopher://example.com | scheme",
                "ws://example.com | scheme",
                "http:// | hostname is missing",
                "http://:80/ | hostname is missing",
                "http://user@example.com/ | user name",
                "http://user:pw@example.com/ | user name",
                "http://example.com@127.0.0.1/ | user name",
                "http://127.0.0.1\\@example.com/ | backslash",
                "http:\\\\example.com\\x | backslash",
                "http://example.com\\x | backslash",
                "http://a%40b.com/ | The character @ is not allowed",
                "http://a%2fb.com/ | The character / is not allowed",
                "http://a%3a80.com/ | a character that is not allowed",
                "http://a%00b.com/ | a character that is not allowed",
                "http://a%0d%0ab.com/ | a character that is not allowed",
                "http://a%zz.com/ | percent-encoding",
                "http://a%ff.com/ | not valid UTF-8",
                "http://exa mple.com/ | space",
                "http://*.example.com/ | Wildcard names",
                "http://a_b.example.com/ | underscore",
                "http://-a.example.com/ | hyphen",
                "http://a-.example.com/ | hyphen",
                "http://a..example.com/ | empty",
                "http://example.com../ | empty",
                "http://./ | missing",
                "http://xn--.example.com/ | xn--",
                "http://xn--zz-zz-zz-zz--.example.com/ | xn--",
                "http://256.1.1.1/ | is not a valid IPv4 address",
                "http://1.2.3.4.5/ | is not a valid IPv4 address",
                "http://4294967296/ | is not a valid IPv4 address",
                "http://08.1.1.1/ | is not a valid IPv4 address",
                "http://1.2.3.0x100/ | is not a valid IPv4 address",
                "http://example.0x7f/ | is not a valid IPv4 address",
                "http://example.1/ | is not a valid IPv4 address",
                "http://99999999999999999999999/ | is not a valid IPv4 address",
                "http://[::1/ | no closing bracket",
                "http://[::1]x/ | Only a port can follow",
                "http://[::1%25eth0]/ | zone",
                "http://[fe80::1%eth0]/ | zone",
                "http://[1:2:3]/ | is not a valid IPv6 address",
                "http://[127.0.0.1]/ | is not a valid IPv6 address",
                "http://[::1::]/ | is not a valid IPv6 address",
                "http://[:::]/ | is not a valid IPv6 address",
                "http://[1:2:3:4:5:6:7::8:9]/ | is not a valid IPv6 address",
                "http://[::1.2.3]/ | is not a valid IPv6 address",
                "http://[::01.2.3.4]/ | is not a valid IPv6 address",
                "http://::1/ | brackets",
                "http://example.com:0/ | 1 to 65535",
                "http://example.com:65536/ | 1 to 65535",
                "http://example.com:8o/ | is not valid. Use a number from 1 to 65535",
                "http://example.com:-1/ | is not valid. Use a number from 1 to 65535",
            })
    void rejectsInvalidUrls(String raw, String reason) {
        assertThatThrownBy(() -> TargetParser.parse(URL, raw))
                .isInstanceOf(InvalidTargetException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://example.com/\r\nX: 1",
                "http://exa\tmple.com/",
                "http://example.com/\0",
                "http://example.com/\u007f",
                "http://example.com/\u0085x",
                "http://example.com/\ud800",
                "http://example.com\n.evil/",
            })
    void rejectsControlCharactersAndInvalidUnicode(String raw) {
        assertThatThrownBy(() -> TargetParser.parse(URL, raw)).isInstanceOf(InvalidTargetException.class);
    }

    @ParameterizedTest
    @CsvSource({"chat.example.com, wss://chat.example.com/", "ws://a.example:80/b, ws://a.example/b"})
    void usesTheFirstSchemeByDefault(String raw, String expected) throws InvalidTargetException {
        assertThat(TargetAsserts.normal(WEBSOCKET, raw)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(ints = {2048, 2049})
    void limitsTheLength(int length) {
        String target = "https://example.com/" + "a".repeat(length - 20);
        if (length <= TargetParser.MAX_BYTES) {
            assertThat(target).satisfies(text -> assertThat(TargetAsserts.normal(URL, text))
                    .isEqualTo(text));
        } else {
            assertThatThrownBy(() -> TargetAsserts.normal(URL, target)).hasMessageContaining("2,048");
        }
    }
}
