package dev.plumbline.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostTargetTest {
    private static final ModuleDescription HOST_PORT = ModuleDescriptionBuilder.of("p", "P", InputType.HOST_PORT)
            .defaultPort(443)
            .build();
    private static final ModuleDescription ANY_PORT =
            ModuleDescriptionBuilder.of("q", "Q", InputType.HOST_PORT).build();
    private static final ModuleDescription DOMAIN =
            ModuleDescriptionBuilder.of("d", "D", InputType.DOMAIN).build();
    private static final ModuleDescription HOST =
            ModuleDescriptionBuilder.of("h", "H", InputType.HOST).build();
    private static final ModuleDescription IP =
            ModuleDescriptionBuilder.of("i", "I", InputType.IP).build();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "example.com | example.com",
                "EXAMPLE.com.:443 | example.com",
                "example.com:8443 | example.com:8443",
                "example.com: | example.com",
                "https://example.com/path?x#y | example.com",
                "https://example.com:8443/path | example.com:8443",
                "http://example.com/ | example.com",
                "ftp://example.com/ | example.com",
                "example.com/path | example.com",
                "example.com:25/path | example.com:25",
                "[2600::1]:443 | 2600::1",
                "[2600::1]:993 | [2600::1]:993",
                "2600:0::1 | 2600::1",
                "[2600::1] | 2600::1",
                "0x7f.1:443 | 127.0.0.1",
            })
    void normalizesHostsWithPorts(String raw, String expected) throws InvalidTargetException {
        assertThat(TargetAsserts.normal(HOST_PORT, raw)).isEqualTo(expected);
    }

    /** The text of a target means the same with and without the options. */
    @ParameterizedTest
    @CsvSource({
        "none, example.com, example.com",
        "none, example.com:443, example.com",
        "none, example.com:143, example.com:143",
        "imap, example.com, example.com:143",
        "imap, example.com:143, example.com:143",
        "imap, example.com:443, example.com:443",
        "imap, 2600::1, [2600::1]:143",
        "other, example.com, example.com",
    })
    void optionsDetermineTheDefaultPort(String protocol, String raw, String expected) throws InvalidTargetException {
        ModuleDescription module = ModuleDescriptionBuilder.of("p", "P", InputType.HOST_PORT)
                .defaultPort(443)
                .options(Descriptions.choiceWithPorts("protocol", Map.of("imap", 143), "none", "imap", "other"))
                .build();
        TargetRules rules = module.targetRules(
                Options.parse(module, Map.of("protocol", protocol)).options());
        Target target = TargetParser.parse(rules, raw);
        assertThat(target.text()).isEqualTo(expected);
        assertThat(TargetParser.parse(rules, target.text())).isEqualTo(target);
        assertThat(TargetParser.parse(module, target.text()).port()).isEqualTo(target.port());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ö", "א", "😀"})
    void rejectsVeryLongLabels(String character) {
        assertThatThrownBy(() -> TargetParser.parse(HOST, character.repeat(512)))
                .isInstanceOf(InvalidTargetException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example.com:99999",
                "example.com:https",
                "user@example.com:22",
                "https://user@example.com",
                "_a.example.com:25",
                "1:2:3",
                "[::1]8",
                ":443",
            })
    void rejectsInvalidHostPorts(String raw) {
        assertThatThrownBy(() -> TargetParser.parse(HOST_PORT, raw)).isInstanceOf(InvalidTargetException.class);
    }

    @ParameterizedTest
    @CsvSource({"https://example.com/, example.com:443", "example.com:70, example.com:70"})
    void usesTheDefaultPortOfTheScheme(String raw, String expected) throws InvalidTargetException {
        assertThat(TargetAsserts.normal(ANY_PORT, raw)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"example.com", "ftp://example.com", "::1"})
    void requiresAPortWithoutDefault(String raw) {
        assertThatThrownBy(() -> TargetParser.parse(ANY_PORT, raw))
                .isInstanceOf(InvalidTargetException.class)
                .hasMessageContaining("requires a port");
    }

    @ParameterizedTest
    @CsvSource({
        "::1, [::1]:80",
        "2600::1:80, [2600::1]:80",
        "::1:80, [::1]:80",
        "2600:1:2:3:4:5:6:7, [2600:1:2:3:4:5:6:7]:80",
        "2600:1:2:3:4:5:6:7:443, [2600:1:2:3:4:5:6:7]:443"
    })
    void explainsHowToWriteAnIpv6AddressWithPort(String raw, String written) {
        assertThatThrownBy(() -> TargetParser.parse(ANY_PORT, raw)).hasMessageContaining("brackets: " + written + ".");
    }

    @ParameterizedTest
    @CsvSource({
        "[::1]:80, 'The target must be a domain name, not an IP address.'",
        "1.1.1.1:80, 'The target must be a domain name, not an IP address.'",
        "[::1, The IPv6 address has no closing bracket.",
        "[::1]x, Only a port can follow the closing bracket of an IPv6 address.",
        "Example.com:53, The target must be a domain without a port. Use example.com.",
        "example.com:x, Port x is not valid. Use a number from 1 to 65535."
    })
    void explainsInvalidDomains(String raw, String message) {
        assertThatThrownBy(() -> TargetParser.parse(DOMAIN, raw)).hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource({
        "example.com:53, The target must be a host without a port. Use example.com.",
        "[2600::1]:53, The target must be a host without a port. Use 2600::1."
    })
    void explainsInvalidHosts(String raw, String message) {
        assertThatThrownBy(() -> TargetParser.parse(HOST, raw)).hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource({
        "1.1.1.1:80, The target must be an IP address without a port. Use 1.1.1.1.",
        "[2600::1]:80, The target must be an IP address without a port. Use 2600::1.",
        "https://1.1.1.1/, The target must be an IPv4 or IPv6 address.",
        "example.com:80, The target must be an IPv4 or IPv6 address."
    })
    void explainsInvalidAddresses(String raw, String message) {
        assertThatThrownBy(() -> TargetParser.parse(IP, raw)).hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource({
        "Example.COM., example.com",
        "_dmarc.Example.com, _dmarc.example.com",
        "_sip._tcp.münchen.de, _sip._tcp.xn--mnchen-3ya.de",
        "https://user.example.com:8443/x, user.example.com",
        "example.com/x, example.com",
        "1.0.0.127.in-addr.arpa, 1.0.0.127.in-addr.arpa",
    })
    void normalizesDomains(String raw, String expected) throws InvalidTargetException {
        assertThat(TargetAsserts.normal(DOMAIN, raw)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "::1",
                "[::1]",
                "2130706433",
                "0x7f.1",
                "https://1.1.1.1/",
                "a@example.com",
                "example.com:53",
                "exa mple.com",
                "a..b",
                "https://user@example.com/",
                ".",
                "*.example.com"
            })
    void rejectsInvalidDomains(String raw) {
        assertThatThrownBy(() -> TargetParser.parse(DOMAIN, raw)).isInstanceOf(InvalidTargetException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.", "ü."})
    void limitsNamesAndLabels(String label) {
        String name = label.repeat(140) + "example.com";
        assertThatThrownBy(() -> TargetAsserts.normal(DOMAIN, name)).hasMessageContaining("253");
        String label64 = label.substring(0, 1).repeat(64) + ".example.com";
        assertThatThrownBy(() -> TargetAsserts.normal(DOMAIN, label64)).hasMessageContaining("63");
    }

    @ParameterizedTest
    @CsvSource({
        "Example.com, example.com",
        "127.1, 127.0.0.1",
        "2600:0::1, 2600::1",
        "[2600::1], 2600::1",
        "https://[2600::1]:8080/x, 2600::1",
    })
    void normalizesHosts(String raw, String expected) throws InvalidTargetException {
        assertThat(TargetAsserts.normal(HOST, raw)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"1.1.1.1, 1.1.1.1", "0x01010101, 1.1.1.1", "[2600::1], 2600::1", "2600::01, 2600::1"})
    void normalizesAddresses(String raw, String expected) throws InvalidTargetException {
        assertThat(TargetAsserts.normal(IP, raw)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"example.com", "1.1.1.1:80", "1.1.1.256", "https://1.1.1.1/", "fe80::1%1"})
    void rejectsInvalidAddresses(String raw) {
        assertThatThrownBy(() -> TargetParser.parse(IP, raw)).isInstanceOf(InvalidTargetException.class);
    }
}
