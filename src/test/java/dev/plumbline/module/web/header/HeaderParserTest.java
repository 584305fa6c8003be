package dev.plumbline.module.web.header;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.module.web.SecurityHeaders;
import dev.plumbline.probe.http.HeaderParser;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Header values from untrusted servers. */
class HeaderParserTest {
    private static final int MEGABYTE = 1 << 20;

    /** The examples of RFC 6797 section 6.2, and values that its grammar does not allow. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            nullValues = "-",
            value = {
                "max-age=31536000 | 31536000 | false | false",
                "max-age=15768000 ; includeSubDomains | 15768000 | true | false",
                "max-age=\"31536000\" | 31536000 | false | false",
                "max-age=0 | 0 | false | false",
                "max-age=0; includeSubDomains | 0 | true | false",
                "MAX-AGE=1; INCLUDESUBDOMAINS; PRELOAD | 1 | true | true",
                "includeSubDomains;max-age=5;; | 5 | true | false",
                "max-age=5; x=\"; max-age=6\" | 5 | false | false",
                "max-age = 5 | 5 | false | false",
                "max-age=99999999999999999999999999 | 9223372036854775807 | false | false",
                "`` | - | false | false",
                "includeSubDomains | - | false | false",
                "max-age | - | false | false",
                "max-age= | - | false | false",
                "max-age=-1 | - | false | false",
                "max-age=1e9 | - | false | false",
                "max-age=1 2 | - | false | false",
                "max-age=1, max-age=2 | - | false | false",
                "max-age=5; max-age=6 | - | false | false",
                "max-age=5; includeSubDomains=1 | - | false | false",
                "max-age=5; =x | - | false | false",
                "max-age=5; x=a b | - | false | false",
                "max-age=5; x=y; z=\"a b\" | 5 | false | false"
            })
    void parsesStrictTransportSecurity(String header, @Nullable Long maxAge, boolean subDomains, boolean preload) {
        HstsPolicy policy = HstsPolicy.parse(header);

        assertThat(policy.maxAge()).isEqualTo(maxAge);
        assertThat(policy.includeSubdomains()).isEqualTo(subDomains);
        assertThat(policy.preload()).isEqualTo(preload);
        assertThat(policy.fault().isEmpty()).isEqualTo(maxAge != null);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "camera=()",
                "camera=(), geolocation=(self)",
                "geolocation=(self \"https://a.test\" \"https://b.test\"), usb=*",
                "fullscreen=self",
                "camera=( self )",
                "interest-cohort=()",
                "camera=();report-to=x"
            })
    void acceptsValidPermissionsPolicies(String header) {
        assertThat(SecurityHeaders.isPermissionsPolicy(header)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "camera 'none'",
                "camera 'none'; geolocation 'self'",
                "camera",
                "camera=(), ",
                "camera=('self')",
                "camera=(self",
                "camera=(https://a.test)",
                "Camera=()",
                "camera=none; usb=()"
            })
    void rejectsInvalidPermissionsPolicies(String header) {
        assertThat(SecurityHeaders.isPermissionsPolicy(header)).isFalse();
    }

    @Property(tries = 2_000)
    void parsesArbitraryText(@ForAll @StringLength(max = 400) String text) {
        assertThat(HstsPolicy.parse(text)).isNotNull();
        SecurityHeaders.isPermissionsPolicy(text);
        assertThat(String.join("", HeaderParser.split(text, ';')).length()).isLessThanOrEqualTo(text.length());
        assertThat(HeaderParser.unquoted(text).length()).isLessThanOrEqualTo(text.length());
    }

    @Tag("integration")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                " ",
                ";",
                "; ",
                ",",
                "\"",
                "\\",
                "(",
                "a=(",
                "a=(self ",
                "*.",
                "x:",
                "'nonce-",
                "[",
                "/",
                "a;a "
            })
    void parsesAMegabyteInLinearTime(String piece) {
        String text = piece.repeat(MEGABYTE / piece.length());
        List<Consumer<String>> parsers = List.of(
                HstsPolicy::parse,
                SecurityHeaders::isPermissionsPolicy,
                all -> SecurityHeaders.isPermissionsPolicy("camera=" + all),
                all -> ContentSecurityPolicy.parse(all).weaknesses(),
                all -> ContentSecurityPolicy.parse("script-src " + all).weaknesses());
        // linear parsers take milliseconds, quadratic ones hours
        Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(20), () -> parsers.forEach(parser -> parser.accept(text)));
    }
}
