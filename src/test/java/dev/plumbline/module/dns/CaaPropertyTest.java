package dev.plumbline.module.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.xbill.DNS.CAARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;

/** The parser of issue values. */
class CaaPropertyTest {
    @Property(tries = 2000)
    void acceptsExactlyTheGrammar(@ForAll @CharRange(from = ' ', to = '~') @StringLength(max = 30) String value) {
        // RFC 8659 section 4.2 as one expression
        String label = "[A-Za-z0-9](-*[A-Za-z0-9])*";
        String parameter = label + "[ \t]*=[ \t]*[\\x21-\\x3a\\x3c-\\x7e]*";
        boolean valid = value.matches("[ \t]*(%s(\\.%s)*[ \t]*)?(;[ \t]*(%s([ \t]*;[ \t]*%s)*[ \t]*)?)?"
                .formatted(label, label, parameter, parameter));

        assertThat(CaaProperty.issuer(value) != null).isEqualTo(valid);
    }

    @Property(tries = 2000)
    void acceptsExactlyTheGrammarNearValidValues(
            @ForAll @CharRange(from = 'a', to = 'b') @StringLength(min = 1, max = 3) String label,
            @ForAll("noise") String noise) {
        acceptsExactlyTheGrammar(label + ".x" + noise + label + "=" + label + noise);
    }

    @Provide
    Arbitrary<String> noise() {
        return Arbitraries.strings().withChars("; -=.\ta").ofMaxLength(4);
    }

    @Example
    void isLinear() {
        for (String part : List.of("a", "-", ";", "a=b;", "a.", " ", "a-", "=")) {
            String value = part.repeat(1_000_000 / part.length());

            assertTimeoutPreemptively(Duration.ofSeconds(5), () -> CaaProperty.issuer(value));
        }
    }

    @Example
    void ignoresTheCaseOfDomainsAndParameters() {
        CaaProperty property = CaaProperty.of(new CAARecord(Name.root, DClass.IN, 60, 128, "issue", "CA.Test; A=B"));

        assertThat(property.critical()).isTrue();
        assertThat(property.tag()).isEqualTo("issue");
        assertThat(property.issuer())
                .isEqualTo(new CaaProperty.Issuer("ca.test", List.of(new CaaProperty.Parameter("a", "B"))));
    }
}
