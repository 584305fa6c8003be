package dev.plumbline.sheet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.SheetModule;
import dev.plumbline.module.tls.SslCertificate;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.Host;
import dev.plumbline.target.InputType;
import dev.plumbline.target.IpAddressText;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    private static final ModuleDescription MODULE = ModuleDescriptionBuilder.of("m", "M", InputType.DOMAIN)
            .options(
                    OptionDescription.choice("method", "Method", "How.", "auto", "head", "get"),
                    Descriptions.listOption(
                            "types", "Types", "Which.", List.of("A"), Pattern.compile("A|AAAA|TXT"), 10, 20),
                    Descriptions.textOption("word", "Word", "A word.", Pattern.compile("[a-z]+"), 10))
            .build();

    private static final ModuleDescription CONNECTING =
            SheetModule.load(new SslCertificate()).description();

    @ParameterizedTest
    @ValueSource(strings = {"get", "GET", "Get"})
    void acceptsChoicesInAnyCase(String given) {
        Options options = Options.parse(MODULE, Map.of("method", given)).options();

        assertThat(options.text("method")).isEqualTo("get");
        assertThat(options.key())
                .isEqualTo(
                        Options.parse(MODULE, Map.of("method", "get")).options().key());
    }

    @ParameterizedTest
    @ValueSource(strings = {"AAAA,TXT", "aaaa,txt", "Aaaa,TxT"})
    void convertsToUpperCaseIfThePatternRequiresIt(String given) {
        assertThat(Options.parse(MODULE, Map.of("types", given)).options().list("types"))
                .containsExactly("AAAA", "TXT");
        assertThat(Options.parse(MODULE, Map.of("types", "a")).options().given())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.1",
        "2001:DB8:0:0::1, 2001:db8::1",
        "::ffff:10.0.0.1, ::ffff:10.0.0.1",
        "Edge.CDN.example.com., edge.cdn.example.com",
        "localhost, localhost"
    })
    void connectToIsACanonicalHost(String given, String canonical) {
        Options options = Options.parse(CONNECTING, Map.of("connect_to", given)).options();

        assertThat(options.given()).containsEntry("connect_to", canonical);
        assertThat(options.connectTo()).isEqualTo(new Host(canonical, IpAddressText.parse(canonical)));
        assertThat(Options.defaults(CONNECTING).connectTo()).isNull();
    }

    @Test
    void nullOfAnOptionWithoutDefaultIsNotGiven() {
        Map<String, Object> nulls = new HashMap<>();
        nulls.put("warn_days", null);
        nulls.put("connect_to", null);

        assertThat(Options.parse(CONNECTING, nulls).options()).isEqualTo(Options.defaults(CONNECTING));
        assertThat(Options.parseTyped(CONNECTING, nulls).options()).isEqualTo(Options.defaults(CONNECTING));
    }

    @Test
    void nullOfAnOptionWithADefaultAndAnEmptyStringAreInvalid() {
        Map<String, Object> nulls = new HashMap<>();
        nulls.put("check_revocation", null);

        assertThat(Options.parseTyped(CONNECTING, nulls).faults())
                .containsExactly(new Options.Fault("check_revocation", "must be true or false"));
        assertThat(Options.parseTyped(CONNECTING, Map.of("sni", "")).faults())
                .extracting(Options.Fault::name)
                .containsExactly("sni");
        assertThat(Options.parse(CONNECTING, Map.of("check_revocation", "")).faults())
                .hasSize(1);
        assertThat(Options.parse(CONNECTING, Map.of("sni", "")).faults()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "192.0.2",
                "192.0.2.256",
                "0x7f.1",
                "127.1",
                "1::2::3",
                "",
                "[::1]",
                "fe80::1%1",
                "example.com:443",
                "https://example.com",
                "a..example.com",
                "-a.example.com",
                "a_b.example.com"
            })
    void connectToRejectsOtherText(String given) {
        assertThat(Options.parse(CONNECTING, Map.of("connect_to", given)).faults())
                .containsExactly(new Options.Fault(
                        "connect_to",
                        "must be an IP address (IPv6 without brackets) or a hostname, not '" + given + "'"));
    }

    @Test
    void rejectsValuesOutsideThePattern() {
        assertThat(Options.parse(MODULE, Map.of("method", "put", "types", "mx", "word", "WORD"))
                        .faults())
                .extracting(Options.Fault::name)
                .containsExactlyInAnyOrder("method", "types", "word");
    }
}
