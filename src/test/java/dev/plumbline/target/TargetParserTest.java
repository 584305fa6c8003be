package dev.plumbline.target;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.ModuleDescriptionBuilder;
import java.util.Locale;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Properties of targets of all types. */
class TargetParserTest {
    private static final ModuleDescription DOMAIN =
            ModuleDescriptionBuilder.of("d", "D", InputType.DOMAIN).build();

    @Property(tries = 3000)
    void parsesItsOwnTextToAnEqualTarget(@ForAll InputType input, @ForAll("nearTargets") String raw) {
        ModuleDescription module =
                ModuleDescriptionBuilder.of("m", "M", input).defaultPort(443).build();
        Target target;
        try {
            target = TargetParser.parse(module, raw);
        } catch (InvalidTargetException refused) {
            assertThat(refused.getMessage()).isNotBlank().endsWith(".");
            return;
        }
        String text = target.text();
        try {
            assertThat(TargetParser.parse(module, text)).isEqualTo(target);
        } catch (InvalidTargetException refused) {
            throw new AssertionError(text + ": " + refused.getMessage(), refused);
        }
        assertThat(text).doesNotContainPattern("[\\x00-\\x1f\\x7f]");
        if (input != InputType.EMAIL) {
            assertThat(text).matches("[\\x21-\\x7e]+");
        }
    }

    @Property(tries = 500)
    void ignoresTheCaseOfHosts(@ForAll("hosts") String host) throws InvalidTargetException {
        assertThat(TargetAsserts.normal(DOMAIN, host.toUpperCase(Locale.ROOT)))
                .isEqualTo(TargetAsserts.normal(DOMAIN, host));
    }

    @Property(tries = 500)
    void parsesFormattedAddressesToEqualAddresses(@ForAll("addresses") byte[] bytes) {
        var address = IpAddressText.of(bytes);
        assertThat(IpAddressText.parse(IpAddressText.format(address))).isEqualTo(address);
    }

    @Provide
    Arbitrary<byte[]> addresses() {
        Arbitrary<Byte> oftenZero = Arbitraries.frequencyOf(
                net.jqwik.api.Tuple.of(2, Arbitraries.just((byte) 0)), net.jqwik.api.Tuple.of(1, Arbitraries.bytes()));
        return Arbitraries.of(4, 16)
                .flatMap(size -> oftenZero.array(byte[].class).ofSize(size));
    }

    @Provide
    Arbitrary<String> hosts() {
        return Arbitraries.strings()
                .withCharRange('a', 'z')
                .ofMinLength(1)
                .ofMaxLength(10)
                .list()
                .ofMinSize(1)
                .ofMaxSize(4)
                .map(labels -> String.join(".", labels));
    }

    @Provide
    Arbitrary<String> nearTargets() {
        Arbitrary<String> pieces = Arbitraries.of(
                "http",
                "https",
                ":",
                "/",
                "//",
                "?",
                "#",
                "@",
                "[",
                "]",
                "::",
                "%",
                "%2e",
                "%2F",
                "%41",
                "example.com",
                "EXAMPLE",
                ".",
                "..",
                "/../",
                "/./",
                "1",
                "127",
                "0x7f",
                "0177",
                "münchen",
                "ß",
                "xn--mnchen-3ya",
                "xn--",
                "_a",
                "-",
                "。",
                "１",
                "é",
                "\\",
                " ",
                "\"",
                "+",
                "a",
                "ffff",
                "\u200d",
                "\u0301",
                "ا",
                "א",
                "😀",
                "<",
                "{",
                "|",
                "~",
                ":443",
                ":80",
                ":8080");
        Arbitrary<String> composed = pieces.list().ofMinSize(1).ofMaxSize(9).map(l -> String.join("", l));
        Arbitrary<String> wild = Arbitraries.strings().ofMaxLength(30);
        Arbitrary<String> addressed = Combinators.combine(
                        Arbitraries.of("http://example.com/", "a@example.com", "x."), wild)
                .as((a, b) -> a + b);
        return Arbitraries.oneOf(composed, composed, addressed, wild);
    }
}
