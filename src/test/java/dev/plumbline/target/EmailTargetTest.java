package dev.plumbline.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.ModuleDescriptionBuilder;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EmailTargetTest {
    private static final ModuleDescription EMAIL =
            ModuleDescriptionBuilder.of("e", "E", InputType.EMAIL).build();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "Jane.Doe+tag@Example.COM. | Jane.Doe+tag@example.com",
                "jörg@münchen.de | jörg@xn--mnchen-3ya.de",
                "\"a b\\\"@c\"@example.com | \"a b\\\"@c\"@example.com",
            })
    void normalizesEmailAddresses(String raw, String expected) throws InvalidTargetException {
        assertThat(TargetAsserts.normal(EMAIL, raw)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example.com",
                "@example.com",
                "a@",
                "a..b@example.com",
                ".a@example.com",
                "a b@example.com",
                "a@[127.0.0.1]",
                "a@127.0.0.1",
                "a@b_c.com",
                "a@b@example.com",
                "\"a@example.com",
                "a@example.com:25",
                "a@example.com/x",
                "<a@example.com>"
            })
    void rejectsInvalidEmailAddresses(String raw) {
        assertThatThrownBy(() -> TargetParser.email(raw)).isInstanceOf(InvalidTargetException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "URL, me@example.com, a URL",
        "URL, mailto:me@example.com, a URL",
        "DOMAIN, me@example.com, a domain",
        "HOST, me@example.com, a host",
        "HOST_PORT, me@example.com, a host and port",
        "IP, me@192.0.2.1, an IP address",
    })
    void otherModulesRecognizeEmailAddresses(InputType input, String raw, String expected) {
        ModuleDescription module = ModuleDescriptionBuilder.of("m", "M", input).build();

        assertThatThrownBy(() -> TargetParser.parse(module, raw))
                .hasMessage("The target must be " + expected + ", not an e-mail address. Use the part after the @, or"
                        + " check the address with the module email-address.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"user:password@example.com", "https://user@example.com/"})
    void credentialsAreNotAnEmailAddress(String raw) {
        ModuleDescription url =
                ModuleDescriptionBuilder.of("u", "U", InputType.URL).build();

        assertThatThrownBy(() -> TargetParser.parse(url, raw))
                .hasMessage("The URL must not contain a user name or password.");
    }

    /** Checks evaluate the local part, and require a domain. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "@example.com | @example.com",
                "a..b@Example.com | a..b@example.com",
                "a b @example.com | a b @example.com",
                "a@b@example.com | a@b@example.com",
                "\"a@example.com | \"a@example.com",
                "john(comment)@example.com | john(comment)@example.com",
            })
    void acceptsAnyLocalPartOfATarget(String raw, String expected) throws InvalidTargetException {
        assertThat(TargetAsserts.normal(EMAIL, raw)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "example.com | The e-mail address has no @.",
                "a@ | The hostname is missing.",
                "a@[127.0.0.1] | The part after the @ must be a domain name, not an IP address.",
                "a@127.0.0.1 | The part after the @ must be a domain name, not an IP address.",
                "Jane Doe <jane@example.com> | Enter the e-mail address without a name and without angle brackets, such as"
                        + " user@example.com.",
                "jane@example.com (Jane) | Comments in e-mail addresses are not supported. Remove the parentheses.",
            })
    void rejectsTargetsWithoutADomain(String raw, String message) {
        assertThatThrownBy(() -> TargetParser.parse(EMAIL, raw)).hasMessage(message);
    }

    /** RFC 5321 section 4.1.2, RFC 6531 section 3.3 (EAI), and the obsolete forms of RFC 5322 section 4.4. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            nullValues = "-",
            value = {
                "jane.doe | - | jane.doe",
                "Jane+news | - | Jane+news",
                "用户 | - | 用户",
                "jo\u0308rg | - | j\u00f6rg",
                "\uD83C\uDF55 | - | \uD83C\uDF55",
                "\"jane\" | - | jane",
                "\"jane doe\" | - | \"jane doe\"",
                "\"jane\\.doe\" | - | jane.doe",
                "\"a\\\"b\" | - | \"a\\\"b\"",
                "\"@\" | - | \"@\"",
                "\"\" | - | \"\"",
                "\"..\" | - | \"..\"",
                "\"用 户\" | - | \"用 户\"",
                "~~ | EMPTY | -",
                ".a | DOT | -",
                "a. | DOT | -",
                "a..b | DOT | -",
                "a b | CHARACTER | -",
                "a,b | CHARACTER | -",
                "a;b | CHARACTER | -",
                "a@b | CHARACTER | -",
                "mailto:a | CHARACTER | -",
                "a\u00a0b | CHARACTER | -",
                "a\u202eb | CHARACTER | -",
                "a(b)c | COMMENT | -",
                "\"a | QUOTATION | -",
                "a\" | QUOTATION | -",
                "\" | QUOTATION | -",
                "\"a\"b\" | QUOTATION | -",
                "\"a\\\" | QUOTATION | -",
                "\"a\".b | QUOTATION | -",
                "1234567890123456789012345678901234567890123456789012345678901234 | -"
                        + " | 1234567890123456789012345678901234567890123456789012345678901234",
                "12345678901234567890123456789012345678901234567890123456789012345 | TOO_LONG | -",
                "éééééééééééééééééééééééééééééééééé | TOO_LONG | -",
            })
    void evaluatesLocalParts(String local, EmailLocalPart.@Nullable Fault fault, @Nullable String normalized) {
        assertThat(EmailLocalPart.fault(local)).isEqualTo(fault);
        if (normalized != null) {
            assertThat(EmailLocalPart.normalized(local)).isEqualTo(normalized);
        }
    }

    @Property(tries = 1_000)
    void normalizesToAnEqualValidLocalPart(@ForAll("localParts") String local) {
        if (EmailLocalPart.fault(local) == null) {
            String normalized = EmailLocalPart.normalized(local);
            assertThat(EmailLocalPart.fault(normalized)).isNull();
            assertThat(EmailLocalPart.normalized(normalized)).isEqualTo(normalized);
        }
    }

    @Provide
    Arbitrary<String> localParts() {
        return Arbitraries.of("a", "\"", "\\", ".", " ", "@", "(", "é", "\u0308", "\uD83C\uDF55", "\uD83C", "+")
                .list()
                .ofMaxSize(12)
                .map(parts -> String.join("", parts));
    }

    @Example
    void readsOneMegabyteInTime() {
        for (String part : List.of("a", "\\", "é", "a.")) {
            String local = "\"" + part.repeat(1 << 20) + "\"";
            assertTimeoutPreemptively(Duration.ofSeconds(10), () -> EmailLocalPart.fault(local));
            assertThat(EmailLocalPart.fault(local)).isEqualTo(EmailLocalPart.Fault.TOO_LONG);
        }
    }

    @Example
    void acceptsAllSymbolsOfAtoms() {
        assertThat(EmailLocalPart.fault("!#$%&'*+-/=?^_`{|}~")).isNull();
    }
}
