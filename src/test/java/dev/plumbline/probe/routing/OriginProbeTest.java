package dev.plumbline.probe.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.probe.routing.OriginProbe.Origins;
import dev.plumbline.target.IpAddressText;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TXT records in the form of Team Cymru. */
class OriginProbeTest {
    private static Origins origins(String... texts) {
        return OriginProbe.origins(List.of(texts), IpAddressText.of("216.90.108.31"), "origin.test");
    }

    private static List<String> routes(Origins origins) {
        assertThat(origins.error()).isNull();
        return origins.routes().stream()
                .map(route -> route.prefix() + " AS" + route.asn())
                .toList();
    }

    @Test
    void readsSeveralOriginsAndPrefixes() {
        assertThat(routes(origins("23028 | 216.90.108.0/24 | US | arin | 1998-09-25")))
                .containsExactly("216.90.108.0/24 AS23028");
        assertThat(routes(origins(
                        "701 1239 | 216.90.108.0/24 | US | arin | 1998-09-25",
                        "701 | 216.90.0.0/16 | US | arin |",
                        "1239 | 216.90.108.0/24")))
                .containsExactly("216.90.108.0/24 AS701", "216.90.108.0/24 AS1239", "216.90.0.0/16 AS701");
        assertThat(routes(OriginProbe.origins(
                        List.of("4294967295 | 2001:db8::/32 | US | arin | 2001-01-01"),
                        IpAddressText.of("2001:db8::1"),
                        "origin6.test")))
                .containsExactly("2001:db8::/32 AS4294967295");
        assertThat(routes(origins())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "23028",
                "| 216.90.108.0/24 | US",
                "NA | 216.90.108.0/24 | US",
                "AS23028 | 216.90.108.0/24 | US",
                "23028,701 | 216.90.108.0/24 | US",
                "4294967296 | 216.90.108.0/24 | US",
                "23028 | 216.90.109.0/24 | US",
                "23028 | 216.90.108.0 | US",
                "23028 | 2001:db8::/32 | US",
                "23028 | NA | US",
                "1 2 3 4 5 6 7 8 9 10 11 | 216.90.108.0/24 | US",
            })
    void doesNotGuessFromOtherTexts(String text) {
        for (Origins origins : List.of(origins(text), origins("23028 | 216.90.108.0/24 | US", text))) {
            assertThat(origins.routes()).isEmpty();
            assertThat(origins.error()).isNotNull();
            assertThat(origins.error().message())
                    .isEqualTo("The TXT record of the address in origin.test does not have the expected form.");
        }
    }

    @Property
    void neverFailsWithAnException(@ForAll String text) {
        assertThat(origins(text)).isNotNull();
    }
}
