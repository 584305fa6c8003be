package dev.plumbline.module.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AltSvcTest {

    /** The first rows are the examples of RFC 7838 section 3. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "h2=\":8000\" | h2 | true",
                "h2=\"new.example.org:80\" | h2 | true",
                "w%3Dx%3Ay#z=\":443\" | w=x:y#z | true",
                "x%25y=\":443\" | x%y | true",
                "h2=\"alt.example.com:8000\", h2=\":443\" | h2 | true",
                "h2=\":443\"; ma=3600 | h2 | true",
                "h2=\":443\"; ma=2592000; persist=1 | h2 | true",
                "clear | '' | true",
                "h3=\":443\"; ma=86400, h3-29=\":443\"; ma=86400 | h3,h3-29 | true",
                "h3=\":443\"; ma=0 | '' | true",
                "h3=\":443\"; MA=\"60\" | h3 | true",
                "h3=\":443\"; future=\"a, b; c\", h2=\":443\" | h3,h2 | true",
                "h3=\"[2001:db8::1]:443\" | h3 | true",
                ", h3=\":443\", | h3 | true",
                "h3=\":65536\" | '' | false",
                "h3=\":0\" | '' | false",
                "h3=:443 | '' | false",
                "h3=\":443\"; ma=day | h3 | false",
                "h3 | '' | false",
                "h3=\":port\" | '' | false",
                "h%3=\":443\" | '' | false",
                "Clear | '' | false",
                "h3=\":443 | '' | false"
            })
    void parses(String header, String protocols, boolean valid) {
        AltSvc parsed = AltSvc.parse(header);

        assertThat(String.join(",", parsed.protocols())).isEqualTo(protocols);
        assertThat(parsed.valid()).isEqualTo(valid);
    }

    @Test
    void readsHostsAndPorts() {
        assertThat(AltSvc.parse("h3=\":8443\", h3=\"Other.example.:443\", h3=\"[2001:db8::1]:1\"")
                        .alternatives())
                .containsExactly(
                        new AltSvc.Alternative("h3", "", 8443),
                        new AltSvc.Alternative("h3", "other.example", 443),
                        new AltSvc.Alternative("h3", "[2001:db8::1]", 1));
    }

    @Property
    void parsesAnyTextWithoutException(
            @ForAll
                    @StringLength(max = 60)
                    @Chars({'h', '3', '=', '"', ':', ';', ',', '%', '\\', ' ', 'm', 'a'})
                    @CharRange(from = '0', to = '4')
                    String text) {
        assertThat(AltSvc.parse(text).protocols()).doesNotContainNull();
    }

    @Test
    void parsesOneMegabyteInBoundedTime() {
        for (String part : List.of("h3=\":443\",", ";ma=", "%25", "\"\\", "h3=\":", ",")) {
            String text = part.repeat((1 << 20) / part.length());

            assertTimeoutPreemptively(
                    Duration.ofSeconds(10), () -> assertThat(AltSvc.parse(text)).isNotNull());
        }
    }
}
