package dev.plumbline.module.web.cookies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.module.web.HttpEvidence;
import dev.plumbline.target.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Set-Cookie headers from untrusted servers. {@link CookieBrowserComparisonTest} has more cases. */
class SetCookieTest {
    private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");
    private static final int MEGABYTE = 1 << 20;

    /** The examples of RFC 6265 section 3.1, and unusual attributes. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "SID=31d4d96e407aad42 | SID | 31d4d96e407aad42 | - | - | false | false",
                "SID=31d4; Path=/; Domain=example.com | SID | 31d4 | example.com | / | false | false",
                "SID=31d4; Path=/; Secure; HttpOnly | SID | 31d4 | - | / | true | true",
                "a=b; DOMAIN=.Example.COM; secure=0 | a | b | example.com | - | true | false",
                "a=b; Domain=x; Domain= | a | b | - | - | false | false",
                "a=b; Path=/x; Path=y | a | b | - | y | false | false",
                "a = b = c ; =x; ; httponly | a | b = c | - | - | false | true"
            })
    void parsesAttributes(
            String header,
            String name,
            String value,
            @Nullable String domain,
            @Nullable String path,
            boolean secure,
            boolean httpOnly) {
        SetCookie cookie = SetCookie.parse(header, NOW);

        assertThat(cookie)
                .extracting(
                        SetCookie::name,
                        SetCookie::value,
                        SetCookie::domain,
                        SetCookie::path,
                        SetCookie::secure,
                        SetCookie::httpOnly)
                .containsExactly(name, value, domain, path, secure, httpOnly);
        assertThat(cookie.expires()).isNull();
        assertThat(cookie.ignored()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "Max-Age=60 | 2026-11-22T12:01:00Z | -",
                "Max-Age=0 | 1970-01-01T00:00:00Z | -",
                "Max-Age=-60 | 1970-01-01T00:00:00Z | -",
                "Max-Age=+60 | - | Max-Age=+60",
                "Max-Age=- | - | Max-Age=-",
                "Max-Age=6e3 | - | Max-Age=6e3",
                "Max-Age=999999999999999999999 | 2027-12-27T12:00:00Z | -",
                "Expires=Wed, 09 Dec 2026 10:18:14 GMT | 2026-12-09T10:18:14Z | -",
                "Expires=Wednesday, 09-Dec-26 10:18:14 GMT | 2026-12-09T10:18:14Z | -",
                "Expires=Wed Dec  9 10:18:14 2026 | 2026-12-09T10:18:14Z | -",
                "Expires=9 dec 2026 1:2:3 | 2026-12-09T01:02:03Z | -",
                "Expires=Sun, 06 Nov 1994 08:49:37 GMT | 1994-11-06T08:49:37Z | -",
                "Expires=Wed, 09 Jun 2060 10:18:14 GMT | 2027-12-27T12:00:00Z | -",
                "Expires=Wed, 09 Jun 1600 10:18:14 GMT | - | Expires=Wed, 09 Jun 1600 10:18:14 GMT",
                "Expires=09 Jun 2026 | - | Expires=09 Jun 2026",
                "Expires=Mon, 32 Dec 2026 10:18:14 GMT | - | Expires=Mon, 32 Dec 2026 10:18:14 GMT",
                "Expires=Wed, 09 Jun 1999 10:18:14 GMT; Max-Age=60 | 2026-11-22T12:01:00Z | -",
                "Max-Age=60; Expires=x | 2026-11-22T12:01:00Z | Expires=x",
                "SameSite=Later | - | SameSite=Later",
                "http-only | - | http-only",
                "Priority=High; Version=1 | - | -"
            })
    void parsesLifetimes(String attributes, @Nullable Instant expires, @Nullable String ignored) {
        SetCookie cookie = SetCookie.parse("a=b; " + attributes, NOW);

        assertThat(cookie.expires()).isEqualTo(expires);
        assertThat(cookie.ignored()).isEqualTo(ignored == null ? List.of() : List.of(ignored));
    }

    @Provide
    Arbitrary<String> headers() {
        Arbitrary<String> words = Arbitraries.of(
                "a",
                "=",
                ";",
                " ",
                "Path",
                "Domain",
                "Max-Age",
                "Expires",
                "Secure",
                "__Host-",
                "/",
                ".",
                "-",
                "9",
                ":",
                "Jan",
                "2026",
                "10:10:10",
                "\t",
                "\u0000",
                "\u00e9",
                "\ud800",
                "SameSite",
                "None",
                "Partitioned");
        return words.list().ofMaxSize(30).map(list -> String.join("", list));
    }

    @Property(tries = 3_000)
    void storesArbitraryHeaders(@ForAll("headers") String first, @ForAll("headers") String second) {
        CookieJar jar = new CookieJar(NOW);

        for (String url : List.of("https://www.a.test/x/y?z", "http://a.test/", "https://127.0.0.1/")) {
            Target.Url target = HttpEvidence.url(url);
            Stream.of(first, second, first).forEach(header -> jar.receive(target, header));
        }

        assertThat(jar.cookies()).hasSize(9).allSatisfy(cookie -> assertThat(cookie.state() == CookieJar.State.REJECTED)
                .isEqualTo(cookie.rejection() != null));
    }

    @Tag("integration")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                ";",
                "; ",
                "=",
                "a=",
                ";Path=/",
                ";Domain=a.",
                ";Expires=1:",
                ";Max-Age=9",
                " ",
                "\t",
                "9",
                "1:1:",
                ";a=b"
            })
    void parsesAMegabyteInLinearTime(String piece) {
        String text = piece.repeat(MEGABYTE / piece.length());

        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            for (String prefix : List.of("", "a=b;", "a=b; Expires=", "a=b; Max-Age=", "a=b; Domain=")) {
                new CookieJar(NOW).receive(HttpEvidence.url("https://a.test/"), prefix + text);
            }
            CookieDate.parse(text);
        });
    }

    /** As many cookies as the responses of a check can contain. */
    @ParameterizedTest
    @ValueSource(strings = {"a=%d", "a%d=b; Secure", "a=b; Path=/%d; Secure"})
    void storesManyCookies(String header) {
        CookieJar jar = new CookieJar(NOW);

        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            for (int i = 0; i < 11_000; i++) {
                String url = i < 1_000 ? "https://a.test/" : "http://a.test/";
                jar.receive(HttpEvidence.url(url), header.formatted(i));
            }
        });
        assertThat(jar.cookies()).hasSize(11_000);
    }
}
